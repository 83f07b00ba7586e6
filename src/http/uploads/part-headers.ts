// The headers of one part: its field name, and the file name if it is a file. Names arrive as raw UTF-8 (browsers), with %22 for a
// quote (WHATWG), with backslash escapes (older programs) or as filename* (RFC 5987); all end as one string. They are data only.
import { MillraceError } from '../../contract/errors/millrace-error.ts';

const plainEncodings = new Set(['7bit', '8bit', 'binary']);
// A backslash escapes only a quote or a backslash: Windows paths are sent with bare ones. The three alternatives never overlap,
// so the match is linear.
const parameter = /;\s*([\w!#$%&'+.^`|~-]+\*?)\s*=\s*(?:"((?:[^"\\]|\\["\\]|\\(?!["\\]))*)"|([^\s;]*))/gy;

export interface PartHeaders {
  readonly name: string;
  /** Set for a file, also when it is empty. */
  readonly fileName: string | undefined;
  readonly mediaType: string | undefined;
}

export function parsePartHeaders(bytes: Buffer): PartHeaders {
  const headers = new Map<string, string>();
  const text = decodeUtf8(bytes);
  if (text.includes('\0')) throw malformed('a part has a header that holds a NUL');
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) throw malformed('a part has a header line without a name');
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
  if (!plainEncodings.has(encoding)) throw malformed(`the transfer encoding "${encoding.slice(0, 40)}" is not taken`);
  const disposition = headers.get('content-disposition') ?? '';
  const { kind, parameters } = parseParameters(disposition);
  const name = parameters.get('name');
  if (kind !== 'form-data' || name === undefined) throw malformed('a part does not say which field it is');
  return { name, fileName: fileNameOf(parameters), mediaType: headers.get('content-type') };
}

/** The boundary of a multipart/form-data content type, or undefined when it is something else. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  const { kind, parameters } = parseParameters(contentType ?? '');
  const boundary = parameters.get('boundary');
  if (kind !== 'multipart/form-data' || boundary === undefined) return undefined;
  return /^[\x21-\x7e ]{0,199}[\x21-\x7e]$/.test(boundary) ? boundary : undefined;
}

function parseParameters(value: string): { kind: string; parameters: Map<string, string> } {
  const end = value.indexOf(';');
  const kind = (end < 0 ? value : value.slice(0, end)).trim().toLowerCase();
  const parameters = new Map<string, string>();
  if (end < 0) return { kind, parameters };
  for (const [, key = '', quoted, token] of value.slice(end).matchAll(parameter)) {
    const text = quoted === undefined ? (token ?? '') : quoted.replace(/\\(["\\])/g, '$1').replaceAll('%22', '"');
    if (!parameters.has(key.toLowerCase())) parameters.set(key.toLowerCase(), text);
  }
  return { kind, parameters };
}

function fileNameOf(parameters: Map<string, string>): string | undefined {
  const extended = /^utf-8'[^']*'(.*)$/i.exec(parameters.get('filename*') ?? '')?.[1];
  if (extended === undefined) return parameters.get('filename');
  const name = decodePercent(extended);
  if (name.includes('\0')) throw malformed('a file name holds a NUL');
  return name;
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed('a file name is not valid percent-encoding');
  }
}

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed('a header or field is not valid UTF-8');
  }
}

export function malformed(reason: string): MillraceError {
  return new MillraceError('upload_malformed', { reason });
}
