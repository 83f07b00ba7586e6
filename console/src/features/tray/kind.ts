import type { FileKind } from '../../pipelines/kit.ts';

/** What a dropped file can be, and the pipeline that takes it. */
export interface Kind extends FileKind {
  readonly pipeline: string;
  /** File endings that no other kind has. */
  readonly endings: readonly string[];
}
