// Which column is which field. A mapping is kept by column name, not by position, so that it fits the next file whose columns
// come in another order. Versions are never changed; a correction is a new version.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Confidence } from '../decision.ts';
import type { ColumnReading } from '../reading.ts';
import type { FieldCatalogue } from './fields.ts';
import { headerName } from './header-name.ts';

export interface Mapping {
  /** Comparable column name (headerName().key) → field, or null for a column that is deliberately not used. */
  readonly fields: Readonly<Record<string, string | null>>;
  /** Values for fields that the file has no column for, such as a currency. */
  readonly constants?: Readonly<Record<string, string>>;
}

/** One column with its field and why. */
export interface ColumnMapping {
  readonly column: number;
  readonly header: string;
  readonly field: string | null;
  readonly confidence: Confidence | null;
  readonly reason: string;
  /** Currency named in the header. */
  readonly currency?: string;
  /** Fields the column could be, for a user to choose from. Never applied without being asked. */
  readonly offers: readonly FieldOffer[];
  /** It is the offered field as much as the column that is read as it. */
  readonly isTwin?: boolean;
}

export interface FieldOffer {
  readonly field: string;
  readonly confidence: Confidence;
  readonly reason: string;
}

export function checkMapping(mapping: Mapping, catalogue: FieldCatalogue): void {
  const used = new Set<string>();
  for (const [header, field] of Object.entries(mapping.fields)) {
    if (field === null) continue;
    if (catalogue.field(field) === undefined) fail(`"${header}" is mapped to "${field}", which is not a field`);
    if (used.has(field)) fail(`two columns are mapped to "${field}"`);
    used.add(field);
  }
  for (const field of Object.keys(mapping.constants ?? {})) {
    if (catalogue.field(field) === undefined) fail(`a constant is given for "${field}", which is not a field`);
    if (used.has(field)) fail(`"${field}" has both a column and a constant`);
  }
}

/** Puts a saved mapping onto the columns of a file. Columns it does not name stay unmapped. */
export function applyMapping(mapping: Mapping, columns: readonly ColumnReading[], version: number): ColumnMapping[] {
  const used = new Set<string>();
  return columns.map((column) => {
    const { key, currency } = headerName(column.name);
    const field = mapping.fields[key] ?? null;
    const isTwin = field !== null && used.has(field);
    if (field !== null) used.add(field);
    const isMapped = field !== null && !isTwin;
    return {
      column: column.index,
      header: column.name,
      field: isMapped ? field : null,
      confidence: isMapped ? 'exact' : null,
      reason: isTwin ? `another column is "${field}" already` : `saved mapping, version ${version}`,
      ...(currency === null ? {} : { currency }),
      offers: [],
    };
  });
}

/** The mapping that a user keeps after looking at a suggestion. */
export function mappingOf(
  columns: readonly ColumnMapping[],
  constants: Readonly<Record<string, string>> = {},
): Mapping {
  const fields: Record<string, string | null> = {};
  for (const { header, field } of columns) fields[headerName(header).key] ??= field;
  return { fields, constants };
}

function fail(reason: string): never {
  throw new MillraceError('mapping_invalid', { reason });
}
