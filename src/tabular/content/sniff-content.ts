// What a file is, by its bytes, whatever its name says. The intake uses it to refuse a mismatch before anything is parsed;
// reading tables uses it to pick the reader. It looks at the first bytes only and parses nothing.
import { constants, inflateRawSync } from 'node:zlib';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { decodeText } from '../text/decode-text.ts';
import { type WideEncoding, wideEncoding } from '../text/wide-text.ts';

export type ContentKind =
  | 'empty'
  | 'text'
  | 'json'
  | 'ndjson'
  | 'html'
  | 'xml'
  | 'xlsx'
  | 'xlsb'
  | 'xls'
  | 'encrypted_office'
  | 'docx'
  | 'pptx'
  | 'office'
  | 'ods'
  | 'zip'
  | 'gzip'
  | 'pdf'
  | 'image'
  | 'binary';

/** How much of the file `sniffContent` wants to see. */
export const SNIFF_BYTES = 64 * 1024;

const LOCAL_HEADER = 'PK\x03\x04';
const LOCAL_HEADER_BYTES = 30;
const CONTENT_TYPES = '[Content_Types].xml';
/** The method of a part that is not packed. */
const STORED = 0;
const MAX_TYPES_BYTES = 1024 * 1024;

const described: Readonly<Record<ContentKind, string>> = {
  empty: 'empty',
  text: 'plain text or CSV',
  json: 'JSON',
  ndjson: 'JSON lines',
  html: 'an HTML page',
  xml: 'XML',
  xlsx: 'an Excel workbook (.xlsx)',
  xlsb: 'a binary Excel workbook (.xlsb)',
  xls: 'an Excel 97–2003 file (.xls)',
  encrypted_office: 'a password-protected Office file',
  docx: 'a Word document',
  pptx: 'a PowerPoint presentation',
  office: 'the beginning of an Office file, cut off before it says whether it is Word, Excel or PowerPoint',
  ods: 'an OpenDocument file',
  zip: 'a zip archive',
  gzip: 'compressed (gzip)',
  pdf: 'a PDF document',
  image: 'an image',
  binary: 'binary data',
};

const extensions: Readonly<Record<string, readonly ContentKind[]>> = {
  csv: ['text'],
  tsv: ['text'],
  tab: ['text'],
  txt: ['text', 'json', 'ndjson'],
  json: ['json', 'ndjson'],
  ndjson: ['ndjson', 'json'],
  jsonl: ['ndjson', 'json'],
  xlsx: ['xlsx', 'encrypted_office'],
  xlsm: ['xlsx', 'encrypted_office'],
  xlsb: ['xlsb', 'encrypted_office'],
  xls: ['xls', 'encrypted_office'],
  ods: ['ods'],
  pdf: ['pdf'],
  docx: ['docx', 'encrypted_office'],
  pptx: ['pptx', 'encrypted_office'],
  html: ['html', 'xml'],
  htm: ['html', 'xml'],
  xml: ['xml', 'html'],
  zip: ['zip'],
  gz: ['gzip'],
  png: ['image'],
  jpg: ['image'],
  jpeg: ['image'],
  gif: ['image'],
};

export function sniffContent(head: Uint8Array): ContentKind {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  if (bytes.length === 0) return 'empty';
  return bySignature(bytes) ?? byText(bytes);
}

export function describeContent(kind: ContentKind): string {
  return described[kind];
}

/** Refuses a file whose name promises something else than its content; unknown extensions promise nothing. */
export function checkExtension(fileName: string, kind: ContentKind): void {
  const extension = /\.([a-z0-9]{1,8})$/i.exec(fileName)?.[1]?.toLowerCase() ?? '';
  const allowed = extensions[extension];
  if (allowed === undefined || kind === 'empty' || allowed.includes(kind)) return;
  throw new MillraceError('content_mismatch', { extension: `.${extension}`, found: described[kind] });
}

/** The reason why a file of this kind is not read as a table. */
export function refuseContent(kind: ContentKind): never {
  if (kind === 'empty') throw new MillraceError('empty_file');
  if (kind === 'xls') throw new MillraceError('spreadsheet_xls');
  if (kind === 'xlsb') throw new MillraceError('spreadsheet_xlsb');
  if (kind === 'encrypted_office') throw new MillraceError('spreadsheet_encrypted');
  throw new MillraceError('format_unsupported', { found: described[kind] });
}

function bySignature(bytes: Buffer): ContentKind | null {
  const starts = (...signature: number[]) => signature.every((byte, i) => bytes[i] === byte);
  if (starts(0x50, 0x4b, 3, 4) || starts(0x50, 0x4b, 5, 6) || starts(0x50, 0x4b, 7, 8)) return zipKind(bytes);
  if (starts(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1)) return compoundKind(bytes);
  if (starts(0x1f, 0x8b)) return 'gzip';
  if (starts(0x89, 0x50, 0x4e, 0x47) || starts(0xff, 0xd8, 0xff) || starts(0x47, 0x49, 0x46, 0x38)) return 'image';
  // Readers accept a PDF header anywhere in the first kilobyte, so a polyglot may hide it behind text.
  if (bytes.subarray(0, 1024).includes('%PDF-')) return 'pdf';
  if (starts(0x7f, 0x45, 0x4c, 0x46) || starts(0x4d, 0x5a, 0x90) || starts(0x28, 0xb5, 0x2f, 0xfd)) return 'binary';
  // BIFF records of Excel before compound files.
  if (starts(0x09, 0x08) || starts(0x09, 0x04) || starts(0x09, 0x02)) return 'xls';
  return null;
}

/** By the names in the local file headers that lie in the first bytes. */
function zipKind(bytes: Buffer): ContentKind {
  let kind: ContentKind = 'zip';
  for (let at = bytes.indexOf(LOCAL_HEADER); at !== -1; at = bytes.indexOf(LOCAL_HEADER, at + 4)) {
    if (at + LOCAL_HEADER_BYTES > bytes.length) break;
    const name = bytes.toString(
      'latin1',
      at + LOCAL_HEADER_BYTES,
      at + LOCAL_HEADER_BYTES + bytes.readUInt16LE(at + 26),
    );
    if (name === 'xl/workbook.bin') return 'xlsb';
    if (name.startsWith('xl/')) kind = 'xlsx';
    else if (name.startsWith('word/')) return 'docx';
    else if (name.startsWith('ppt/')) return 'pptx';
    else if (name === 'mimetype' && bytes.includes('application/vnd.oasis.opendocument')) return 'ods';
    else if (name === CONTENT_TYPES && kind === 'zip') kind = officeKind(bytes, at);
  }
  return kind;
}

/** Office files begin with a list of their parts and types; of a file that was cut off it may be all there is. */
function officeKind(bytes: Buffer, header: number): ContentKind {
  const types = inflatedStart(bytes, header);
  if (types.includes('wordprocessingml')) return 'docx';
  if (types.includes('presentationml')) return 'pptx';
  // Looked at no further than this, a workbook may name its parts behind a large picture.
  return types.includes('spreadsheetml') || bytes.length >= SNIFF_BYTES ? 'xlsx' : 'office';
}

/** A part's text as far as it is there; empty where it cannot be unpacked. */
function inflatedStart(bytes: Buffer, header: number): string {
  const from = header + LOCAL_HEADER_BYTES + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
  const packed = bytes.subarray(from);
  if (bytes.readUInt16LE(header + 8) === STORED) return packed.toString('latin1', 0, MAX_TYPES_BYTES);
  try {
    return inflateRawSync(packed, {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: MAX_TYPES_BYTES,
    }).toString('latin1');
  } catch {
    return '';
  }
}

/** Entry names of a compound file are UTF-16; an encrypted workbook holds one named EncryptedPackage. */
function compoundKind(bytes: Buffer): ContentKind {
  return bytes.includes(Buffer.from('EncryptedPackage', 'utf16le')) ? 'encrypted_office' : 'xls';
}

function byText(bytes: Buffer): ContentKind {
  const text = roughText(bytes);
  if (controlShare(text) > 0.02) return 'binary';
  const start = text.replace(/^(?:\uFEFF|\u00EF\u00BB\u00BF)/, '').trimStart();
  if (start === '') return bytes.includes(0) ? 'binary' : 'empty';
  if (/^<(?:!doctype html|html|head|body|table|script)\b/i.test(start)) return 'html';
  if (/^<\?xml/i.test(start)) return /<html\b/i.test(start.slice(0, 1024)) ? 'html' : 'xml';
  if (/^\[\s*(?:[[{\]"\d-]|true|false|null|$)/.test(start)) return 'json';
  if (/^\{\s*(?:"|\}|$)/.test(start)) return isOnePerLine(start) ? 'ndjson' : 'json';
  const uncommented = start.replace(/^(?:(?:\/\/|#)[^\n]*\n\s*)+/, '');
  if (uncommented !== start && /^\{\s*"/.test(uncommented) && isOnePerLine(uncommented)) return 'ndjson';
  return 'text';
}

/** The first line is a whole object, and another one follows: right behind it, or on a line of its own behind lines that are broken. */
function isOnePerLine(start: string): boolean {
  const end = start.search(/[\r\n]/);
  const line = (end === -1 ? start : start.slice(0, end)).trim();
  if (!isObject(line)) return false;
  const rest = end === -1 ? '' : start.slice(end).trimStart();
  return rest.startsWith('{') || rest.split(/[\r\n]+/).some(isObject);
}

function isObject(line: string): boolean {
  const text = line.trim();
  if (!text.startsWith('{') || !text.endsWith('}')) return false;
  try {
    JSON.parse(Buffer.from(text, 'latin1').toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

/** The text as far as its first characters matter: wide text decoded, everything else byte by byte. */
function roughText(bytes: Buffer): string {
  const wide = markedWide(bytes) ?? wideEncoding(bytes);
  if (wide === null) return bytes.toString('latin1');
  const unit = wide.startsWith('utf-32') ? 4 : 2;
  return decodeText(bytes.subarray(0, bytes.length - (bytes.length % unit)), wide);
}

function markedWide(bytes: Buffer): WideEncoding | null {
  const starts = (...mark: number[]) => mark.every((byte, i) => bytes[i] === byte);
  if (starts(0xff, 0xfe, 0, 0)) return 'utf-32le';
  if (starts(0, 0, 0xfe, 0xff)) return 'utf-32be';
  if (starts(0xff, 0xfe)) return 'utf-16le';
  return starts(0xfe, 0xff) ? 'utf-16be' : null;
}

/** Of a short text one or two are a large share, and damage. */
const STRAY_NULS = 2;

/** Share of control characters that no text has; line ends, tabs, form feeds and the four separators of ASCII are text. */
function controlShare(text: string): number {
  let controls = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 27 && code !== 9 && code !== 10 && code !== 13 && code !== 12) controls++;
  }
  return (controls - Math.min(STRAY_NULS, text.split('\0', STRAY_NULS + 1).length - 1)) / text.length;
}
