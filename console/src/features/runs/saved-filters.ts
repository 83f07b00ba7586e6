// Filters of the runs list that somebody keeps under a name, in this browser. What cannot be read is left out.
import { type RunFilters, readRunFilters } from './run-filters.ts';

export interface SavedFilter {
  readonly name: string;
  readonly filters: RunFilters;
}

const KEY = 'millrace.run-filters';
const MOST = 20;

export function parseSaved(text: string | null): SavedFilter[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(found)) return [];
    return found.flatMap((each: { name?: unknown; filters?: unknown } | null) =>
      typeof each?.name === 'string' && typeof each.filters === 'object' && each.filters !== null
        ? [{ name: each.name.slice(0, 60), filters: readRunFilters(each.filters as Record<string, unknown>) }]
        : [],
    );
  } catch {
    return [];
  }
}

/** One under a name: the newer one takes the older one's place. */
export function withSaved(all: readonly SavedFilter[], added: SavedFilter): SavedFilter[] {
  return [...all.filter((each) => each.name !== added.name), added].slice(-MOST);
}

export function isSame(one: RunFilters, other: RunFilters): boolean {
  const text = (filters: RunFilters) => JSON.stringify(Object.entries(filters).sort());
  return text(one) === text(other);
}

export function readSaved(): SavedFilter[] {
  return parseSaved(localStorage.getItem(KEY));
}

export function writeSaved(all: readonly SavedFilter[]): void {
  localStorage.setItem(KEY, JSON.stringify(all));
}
