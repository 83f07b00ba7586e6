// A mapping being changed: which column feeds which field. A field is fed by one column at most.
import type { Mapping } from './show-mapping.ts';

export type Draft = ReadonlyMap<number, string | null>;

export function draftOf(mapping: Mapping): Draft {
  return new Map(mapping.columns.map((column) => [column.index, column.field]));
}

/** Gives a column a field; the column that had it before loses it. */
export function assign(draft: Draft, index: number, field: string | null): Draft {
  const next = new Map(draft);
  if (field !== null) for (const [other, taken] of draft) if (taken === field) next.set(other, null);
  return next.set(index, field);
}

export function missingFields(mapping: Mapping, draft: Draft): string[] {
  const fed = new Set(draft.values());
  return mapping.fields.filter((field) => field.required && !fed.has(field.name)).map((field) => field.label);
}

export function isChanged(mapping: Mapping, draft: Draft): boolean {
  return mapping.columns.some((column) => draft.get(column.index) !== column.field);
}
