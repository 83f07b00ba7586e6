// Column names that a tenant has mapped before, in whatever file: they are known in its other files as well, beside the presets and the
// fields' own names. A name on which two mappings disagree is ignored.
import type { SavedMapping } from './saved-mapping.ts';

export interface TaughtName {
  readonly field: string;
  /** The mapping it was learnt from, by the name people know it by. */
  readonly mapping: string;
}

/** By comparable column name (headerName().key). */
export type TaughtNames = ReadonlyMap<string, TaughtName>;

export const nothingTaught: TaughtNames = new Map();

export function namesTaughtBy(mappings: readonly Pick<SavedMapping, 'name' | 'mapping'>[]): TaughtNames {
  const names = new Map<string, TaughtName>();
  const disputed = new Set<string>();
  for (const { name: mapping, mapping: saved } of mappings)
    for (const [key, field] of Object.entries(saved.fields)) {
      if (field === null) continue;
      const known = names.get(key);
      if (known !== undefined && known.field !== field) disputed.add(key);
      names.set(key, known ?? { field, mapping });
    }
  for (const key of disputed) names.delete(key);
  return names;
}
