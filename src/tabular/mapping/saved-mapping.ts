// A mapping that a tenant keeps for one kind of file.
import type { ReadingOverrides } from '../reading.ts';
import type { Mapping } from './mapping.ts';

export interface SavedMapping {
  readonly pipeline: string;
  readonly fingerprint: string;
  readonly version: number;
  readonly name: string;
  readonly mapping: Mapping;
  readonly reading: ReadingOverrides;
  readonly createdBy: string | null;
  readonly createdAt: Date;
}
