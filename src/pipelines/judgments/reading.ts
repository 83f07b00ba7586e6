// How a batch is read: the decisions about its form, and which column is which field. Decided at the first attempt and stored; every
// later attempt reads the file in exactly the same way.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { ByteSource } from '../../tabular/byte-source.ts';
import type { AppliedMapping } from '../../tabular/mapping/applied-mapping.ts';
import { headerFingerprint } from '../../tabular/mapping/fingerprint.ts';
import { applyMapping } from '../../tabular/mapping/mapping.ts';
import type { SavedMapping } from '../../tabular/mapping/saved-mapping.ts';
import { suggestMapping } from '../../tabular/mapping/suggest-mapping.ts';
import type { Reading, ReadingOverrides } from '../../tabular/reading.ts';
import { sniffTable } from '../../tabular/sniff-table.ts';
import { judgmentFields, judgmentPresets } from './fields.ts';

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
    rolesOf: (columns) => ({
      telling: suggestMapping(columns, judgmentFields, judgmentPresets)
        .columns.filter(({ field }) => /^(?:case_number|county)$/.test(field ?? ''))
        .map(({ column }) => column),
      segments: [],
    }),
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
    const { version, name, mapping } = saved;
    const columns = applyMapping(mapping, reading.columns, version);
    const constants = mapping.constants ?? {};
    return { fingerprint, version, name, origin: 'saved', columns, constants, missing: missingIn(columns) };
  }
  const { columns, preset } = suggestMapping(reading.columns, judgmentFields, judgmentPresets);
  const origin = preset === null ? 'proposed' : 'preset';
  return { fingerprint, version: 0, name: preset, origin, columns, constants: {}, missing: missingIn(columns) };
}

/** Without a case number nothing can be stored. */
export function requireUsable(mapping: AppliedMapping): void {
  const missing = missingIn(mapping.columns);
  if (missing.length > 0) throw new MillraceError('mapping_incomplete', { missing: missing.join(', ') });
}

function missingIn(columns: AppliedMapping['columns']): string[] {
  return columns.some(({ field }) => field === 'case_number') ? [] : ['the case number'];
}

export function fingerprintOf(reading: Reading): string {
  return headerFingerprint(reading.header.value.names);
}
