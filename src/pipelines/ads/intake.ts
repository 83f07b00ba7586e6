// The intake of an ads upload: which fields it takes, which files, and the input its run gets. It writes nothing itself; the caller
// stores the bytes, then their row, then the run.

import type { z } from 'zod';
import { ReadingOverrides } from '../../contract/api/reading.ts';
import { UploadFields, UploadRows } from '../../contract/api/uploads.ts';
import { faultsIn } from '../../contract/errors/faults-in.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Sniffed } from '../../engine/blobs/store-file.ts';
import { correctedRun } from '../../http/reject-tools/returned-run.ts';
import { refuseUnknownNames } from '../../platform/known-names.ts';
import { requireStorable } from '../../platform/require-storable.ts';
import { sniffContent } from '../../tabular/content/sniff-content.ts';
import { sniffTableFile } from '../../tabular/content/table-file.ts';
import { checkOverrides } from '../../tabular/reading.ts';
import { overridesFrom } from '../../tabular/reading-overrides.ts';
import type { AdsInput } from './input.ts';

export const AdsUploadFields = UploadFields;
export type AdsUploadFields = z.infer<typeof AdsUploadFields>;

/** Looks at the first bytes: a table we read, or a refusal that says what the file is instead. */
export function sniffUpload(head: Uint8Array, fileName: string): Sniffed {
  if (sniffContent(head) === 'empty') throw new MillraceError('file_empty', { name: fileName });
  return sniffTableFile(head, fileName);
}

export interface Received {
  readonly filename: string;
  readonly at: Date;
  readonly sameBytesAs?: string | undefined;
  readonly mappingFingerprint?: string | undefined;
  /** Of the run whose refused rows the file brings back. */
  readonly original?: AdsInput | undefined;
}

export function inputOf(fields: AdsUploadFields, received: Received): AdsInput {
  const { original } = received;
  const platform = fields.platform ?? original?.platform;
  const clientId = fields.client_id ?? original?.client_id ?? undefined;
  if (platform === undefined) throw new MillraceError('platform_required');
  const corrected = correctedRun(fields);
  return {
    platform,
    source: fields.source ?? 'manual',
    ...(clientId === undefined ? {} : { client_id: clientId }),
    filename: received.filename,
    // The gate judged the file whose refused rows come back; they are judged one by one.
    ...(fields.force_partial === 'true' || corrected !== undefined ? { force_partial: true } : {}),
    ...(fields.on_doubt === undefined ? {} : { on_doubt: fields.on_doubt }),
    ...reportOf(fields, received),
    ...(corrected === undefined ? {} : { corrects: corrected, rejects_of: corrected }),
    ...(fields.reading === undefined ? {} : { reading: readingOf(fields.reading) }),
    ...choicesOf(fields),
    ...(received.mappingFingerprint === undefined ? {} : { mapping_fingerprint: received.mappingFingerprint }),
    ...(received.sameBytesAs === undefined ? {} : { same_bytes_as: received.sameBytesAs }),
  };
}

/** Rows that come back fixed are as old as the file they are from: fixing makes no number newer. */
function reportOf(fields: AdsUploadFields, { original, at }: Received) {
  const given = original === undefined ? fields.reported_at : original.reported_at;
  const isGiven = original === undefined ? given !== undefined : original.reported_at_given === true;
  return { reported_at: given ?? at.toISOString(), ...(isGiven ? { reported_at_given: true } : {}) };
}

function choicesOf({ day, as_period }: AdsUploadFields): Pick<AdsInput, 'choices'> {
  if (day === undefined && as_period !== 'true') return {};
  return { choices: { ...(day === undefined ? {} : { day }), ...(as_period === 'true' ? { as_period: true } : {}) } };
}

function readingOf(text: string): NonNullable<AdsInput['reading']> {
  const refuse = (faults: string): never => {
    throw new MillraceError('upload_fields_invalid', { faults: `reading: ${faults}` });
  };
  const given = jsonOf(text) ?? refuse('is not JSON');
  requireStorable(given, 'reading');
  const parsed = ReadingOverrides.safeParse(given);
  if (!parsed.success) return refuse(faultsIn(parsed.error, 'the whole'));
  const overrides = overridesFrom(parsed.data, {});
  checkOverrides(overrides);
  return { ...overrides };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Rows sent as JSON become a file like any other: a list, one record per line. */
export function fileOfRows(body: unknown): {
  readonly fields: AdsUploadFields;
  readonly bytes: Buffer;
  readonly filename: string;
} {
  if (typeof body === 'object' && body !== null)
    refuseUnknownNames('field', Object.keys(body), Object.keys(UploadRows.shape));
  const parsed = UploadRows.safeParse(body);
  if (!parsed.success) throw new MillraceError('upload_fields_invalid', { faults: faultsIn(parsed.error, 'body') });
  const { rows, force_partial, as_period, reading, ...fields } = parsed.data;
  if (fields.source !== 'api' && fields.source !== 'webhook') throw new MillraceError('source_needs_rows');
  return {
    fields: {
      ...fields,
      ...(force_partial === true ? { force_partial: 'true' as const } : {}),
      ...(as_period === true ? { as_period: 'true' as const } : {}),
      ...(reading === undefined ? {} : { reading: JSON.stringify(reading) }),
    },
    bytes: Buffer.from(`[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`),
    filename: fields.filename ?? 'rows.json',
  };
}
