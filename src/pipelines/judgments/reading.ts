// How a batch is read: the decisions about its form, and which column is which field. Decided at the first attempt and stored; every
// later attempt reads the file in exactly the same way.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { ByteSource } from '../../tabular/byte-source.ts';
import { headerFingerprint } from '../../tabular/mapping/fingerprint.ts';
import { applyMapping, type ColumnMapping } from '../../tabular/mapping/mapping.ts';
import type { SavedMapping } from '../../tabular/mapping/saved-mapping.ts';
import { suggestMapping } from '../../tabular/mapping/suggest-mapping.ts';
import type { Reading, ReadingOverrides } from '../../tabular/reading.ts';
import { sniffTable } from '../../tabular/sniff-table.ts';
import { judgmentFields, judgmentPresets } from './fields.ts';

/** The mapping as it was applied to one file. */
export interface AppliedMapping {
  readonly fingerprint: string;
  /** 0: no saved mapping; proposed from presets and synonyms. */
  readonly version: number;
  readonly origin: 'preset' | 'saved' | 'proposed';
  readonly columns: readonly ColumnMapping[];
  readonly constants: Readonly<Record<string, string>>;
}

export interface BatchReading {
  readonly reading: Reading;
  readonly mapping: AppliedMapping;
}

export async function decideReading(
  source: ByteSource,
  options: { readonly fileName?: string | null | undefined; readonly overrides?: ReadingOverrides | undefined },
): Promise<Reading> {
  const reading = await sniffTable(source, {
    isKnownHeader: judgmentFields.knownHeaders(judgmentPresets),
    ...(options.fileName == null ? {} : { fileName: options.fileName }),
    ...(options.overrides === undefined ? {} : { overrides: options.overrides }),
  });
  // A case is told from a total by its number; a row without a number is a fault and not a footer.
  const { columns } = suggestMapping(reading.columns, judgmentFields, judgmentPresets);
  const naming = columns.filter(({ field }) => /^(?:case_number|plaintiff_name|defendant_name)$/.test(field ?? ''));
  if (naming.length === 0) return reading;
  return { ...reading, totals: { ...reading.totals, identityColumns: naming.map(({ column }) => column) } };
}

/** The tenant's own mapping for files with this header, else what presets and synonyms say. */
export function decideMapping(reading: Reading, saved: SavedMapping | null): AppliedMapping {
  const fingerprint = fingerprintOf(reading);
  if (saved !== null) {
    const { version, mapping } = saved;
    const columns = applyMapping(mapping, reading.columns, version);
    return { fingerprint, version, origin: 'saved', columns, constants: mapping.constants ?? {} };
  }
  const { columns, preset } = suggestMapping(reading.columns, judgmentFields, judgmentPresets);
  return { fingerprint, version: 0, origin: preset === null ? 'proposed' : 'preset', columns, constants: {} };
}

/** Without a case number nothing can be stored. */
export function requireUsable(mapping: AppliedMapping): void {
  if (!mapping.columns.some(({ field }) => field === 'case_number'))
    throw new MillraceError('mapping_incomplete', { missing: 'the case number' });
}

export function fingerprintOf(reading: Reading): string {
  return headerFingerprint(reading.header.value.names);
}
