// What a pipeline must bring so that its refused rows can be corrected and run again. The HTTP layer stores corrections and shows
// them; only the pipeline knows whether a corrected row is right, what a fix does to a cell, and how to run rows again.
import type { Principal } from '../../access/principal.ts';
import type { AnswerOf } from '../../contract/api/client.ts';
import type { RunRow } from '../sql/run-columns.ts';

export type Cells = Readonly<Record<string, string | null>>;
export type Fault = AnswerOf<'rejects.correct'>['faults'][number];

export interface RejectTools {
  /** What is still wrong with rows, in their order; an empty list for a row that would be taken now. */
  check(run: RunRow, rows: readonly Cells[]): Promise<readonly (readonly Fault[])[]>;
  /** The new value of a cell under a fix; undefined when the fix is not known or does not apply to the value. */
  applyFix(
    run: RunRow,
    fix: { kind: string; column: string; params: Readonly<Record<string, unknown>> },
    value: string | null,
  ): string | null | undefined;
  /** Starts a run over the corrected rows (or over the given ones of them) and returns its id and how many rows it has. */
  replay(
    run: RunRow,
    rejectIds: readonly string[] | undefined,
    by: { principal: Principal; idempotencyKey: string | undefined; correlationId: string },
  ): Promise<{ runId: string; rows: number }>;
}
