// A break: one small fault put into the source on purpose, and the tests that must not stay green with it.

export interface Break {
  /** area.what-happens-then */
  readonly id: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
  /** Only tests whose full title holds this are run and count. */
  readonly title?: string;
  /** For the tests, beside the environment of the runner. */
  readonly env?: Readonly<Record<string, string>>;
  /** Part of `npm test`: pure and over within seconds. */
  readonly isQuick?: boolean;
}

export const QUIET = 'src/engine/quiet-faults.db.test.ts';
export const MODEL = 'src/engine/model.db.test.ts';
