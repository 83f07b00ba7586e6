// How the file of a job is read, and which of its columns is which field: by the tenant's own mapping for files with this header, else by the
// names of the columns. Decided before the first row is stored. A mapping that somebody saves afterwards holds for the rows of the job that are
// processed again, and for later files.
import type { ByteSource } from '../../tabular/byte-source.ts';
import { withLimits } from '../../tabular/limits.ts';
import type { AppliedMapping } from '../../tabular/mapping/applied-mapping.ts';
import { headerFingerprint } from '../../tabular/mapping/fingerprint.ts';
import { applyMapping, type ColumnMapping } from '../../tabular/mapping/mapping.ts';
import type { SavedMapping } from '../../tabular/mapping/saved-mapping.ts';
import type { Reading, ReadingOverrides } from '../../tabular/reading.ts';
import { sniffTable } from '../../tabular/sniff-table.ts';
import { columnNames, type FieldName, fieldsOf, itemFields, recogniseFields } from './fields.ts';

export interface JobMapping extends AppliedMapping {
  /** Saved after rows of the job were stored: what they hold as fields was found by another one. */
  readonly isLater?: boolean;
}

export interface JobReading {
  readonly reading: Reading;
  readonly mapping: JobMapping;
}

type Cells = Readonly<Record<string, string>>;

/** Finds the fields among the cells of a row. */
export interface FieldFinder {
  readonly findsNothing: boolean;
  readonly isLater: boolean;
  /** The columns it looks at. */
  readonly columns: readonly string[];
  find(cells: Cells): Record<string, string>;
}

/**
 * A row that is larger than an item may be is read whole, so that it alone is refused (ingest/item-rows.ts). Beyond these bytes it is no row: then delimiter, quotes or line ends
 * are not what they seem.
 */
export const rowLimits = withLimits({ maxRowBytes: 16 * 1024 * 1024, maxRescanBytes: 512 * 1024 * 1024 });

/** `find`: the mapping that is saved for files with this header. */
export async function readAsSaved(
  source: ByteSource,
  fileName: string,
  asked: ReadingOverrides,
  find: (fingerprint: string) => Promise<SavedMapping | null>,
): Promise<JobReading> {
  const first = await decideReading(source, fileName, asked);
  const saved = await find(headerFingerprint(first.header.value.names));
  const isPlain = saved === null || Object.keys(saved.reading).length === 0;
  const reading = isPlain ? first : await decideReading(source, fileName, { ...saved.reading, ...asked });
  return { reading, mapping: decideMapping(reading, saved) };
}

export function decideReading(source: ByteSource, fileName: string, overrides: ReadingOverrides): Promise<Reading> {
  const isKnownHeader = (name: string) => recogniseFields([name]).size > 0;
  return sniffTable(source, { fileName, overrides, isKnownHeader, limits: rowLimits });
}

export function decideMapping(reading: Reading, saved: SavedMapping | null): AppliedMapping {
  const fingerprint = headerFingerprint(reading.header.value.names);
  if (saved !== null) {
    const { version, name, mapping } = saved;
    const columns = applyMapping(mapping, reading.columns, version);
    return { fingerprint, version, name, origin: 'saved', columns, constants: mapping.constants ?? {} };
  }
  return { fingerprint, version: 0, name: null, origin: 'proposed', columns: recognised(reading), constants: {} };
}

function recognised(reading: Reading): ColumnMapping[] {
  const names = columnNames(reading.header.value.names);
  const fields = new Map([...recogniseFields(names)].map(([field, column]) => [column, field]));
  return reading.columns.map(({ index, name }) => {
    const base = { column: index, header: name };
    const field = fields.get(names[index] ?? '');
    if (field !== undefined) return { ...base, field, confidence: 'exact', reason: 'header match', offers: [] };
    const [rival] = recogniseFields([name]).keys();
    if (rival === undefined)
      return { ...base, field: null, confidence: null, reason: 'the name is not known', offers: [] };
    const offers = [{ field: rival, confidence: 'guess', reason: 'header match' } as const];
    return { ...base, field: null, confidence: null, reason: `another column is "${rival}" already`, offers };
  });
}

/** `mapping` null: the columns are recognised by their names. */
export function fieldFinder(mapping: JobMapping | null, columns: readonly string[]): FieldFinder {
  const known = mapping === null ? recogniseFields(columns) : mappedColumns(mapping, columns);
  const constants = mapping?.constants ?? {};
  return {
    findsNothing: known.size === 0 && Object.keys(constants).length === 0,
    isLater: mapping?.isLater === true,
    columns: [...known.values()],
    find: (cells) => ({ ...constants, ...fieldsOf(known, cells) }),
  };
}

/** The fields of an item as its next attempt sees them: those of the file, or of the corrected cells and of the mapping that was saved since. */
export function fieldsNow(
  item: {
    readonly input_json: Cells | null;
    readonly corrections: Cells | null;
    readonly normalized_json: Cells | null;
  },
  finder: FieldFinder,
): Record<string, string> | null {
  if (item.corrections === null && !finder.isLater) return item.normalized_json;
  return finder.find({ ...item.input_json, ...item.corrections });
}

function mappedColumns(mapping: JobMapping, columns: readonly string[]): ReadonlyMap<FieldName, string> {
  const known = new Map<FieldName, string>();
  for (const { column, field } of mapping.columns) {
    const name = columns[column];
    if (name !== undefined && field !== null && itemFields.field(field) !== undefined)
      known.set(field as FieldName, name);
  }
  return known;
}
