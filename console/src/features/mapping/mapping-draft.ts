// A mapping being changed: which column feeds which field, and what every row has without a column. A field is fed once at most.
import type { Mapping } from './show-mapping.ts';

export type Draft = ReadonlyMap<number, string | null>;
/** By field: the text that every row has. */
export type Constants = Readonly<Record<string, string>>;

const numbers: ReadonlySet<string> = new Set(['integer', 'decimal', 'money', 'percent']);

export function draftOf(mapping: Mapping): Draft {
  return new Map(mapping.columns.map((column) => [column.index, column.field]));
}

/** Gives a column a field; the column that had it before loses it. */
export function assign(draft: Draft, index: number, field: string | null): Draft {
  const next = new Map(draft);
  if (field !== null) for (const [other, taken] of draft) if (taken === field) next.set(other, null);
  return next.set(index, field);
}

/** A field that gets a column needs no text for every row any more. */
export function keptConstants(constants: Constants, draft: Draft): Constants {
  const fed = new Set(draft.values());
  return Object.fromEntries(Object.entries(constants).filter(([field]) => !fed.has(field)));
}

/** Fields that a person may fill for every row: numbers come from the file, and what a column feeds is fed. */
export function fillableFields(mapping: Mapping, draft: Draft, constants: Constants): Mapping['fields'] {
  const fed = new Set([...draft.values(), ...Object.keys(constants)]);
  return mapping.fields.filter(({ name, type }) => !numbers.has(type) && !fed.has(name));
}

export function missingFields(mapping: Mapping, draft: Draft, constants: Constants): string[] {
  const fed = new Set([...draft.values(), ...Object.keys(constants)]);
  return mapping.fields.filter((field) => field.required && !fed.has(field.name)).map((field) => field.label);
}

export function isChanged(mapping: Mapping, draft: Draft, constants: Constants): boolean {
  const fields = new Set([...Object.keys(mapping.constants), ...Object.keys(constants)]);
  return (
    mapping.columns.some((column) => draft.get(column.index) !== column.field) ||
    [...fields].some((field) => mapping.constants[field] !== constants[field])
  );
}
