// The mapping that was applied to one file. It is stored beside the reading of that file.
import type { ColumnMapping } from './mapping.ts';

export interface AppliedMapping {
  readonly fingerprint: string;
  /** 0: no saved mapping; proposed from presets and synonyms. */
  readonly version: number;
  readonly name?: string | null;
  readonly origin: 'preset' | 'saved' | 'proposed';
  readonly columns: readonly ColumnMapping[];
  readonly constants: Readonly<Record<string, string>>;
  /** What must be mapped and is not, in words. */
  readonly missing?: readonly string[];
}

/** A mapping's id for the API: its fingerprint in the shape of a UUID. */
export function mappingIdOf(fingerprint: string): string {
  const variant = ((Number.parseInt(fingerprint[16] ?? '0', 16) & 3) | 8).toString(16);
  const hex = `${fingerprint.slice(0, 12)}8${fingerprint.slice(13, 16)}${variant}${fingerprint.slice(17, 32)}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
