// What a pipeline brings so that its refused rows can be corrected and run again. The HTTP layer stores corrections and shows
// them; only the pipeline knows whether a corrected row is right and how to run rows again.
import { makerOf, type Principal } from '../../access/principal.ts';
import type { AnswerOf } from '../../contract/api/client.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import type { ReplayRequest } from '../../engine/replay.ts';

export type Cells = Readonly<Record<string, string | null>>;
export type Fault = AnswerOf<'rejects.correct'>['faults'][number];

export interface FileHeader {
  /** The columns of the file in its own order. */
  readonly names: readonly string[];
  /** Whether its cells hold the escapes of our own files. */
  readonly isEscaped: boolean;
  /** The decimal sign of its numbers: a fixed number is read again as a cell of that file. */
  readonly decimal: '.' | ',';
}

export interface RejectTools {
  /** How the file was read; left out, the download has the order of the stored cells and numbers are fixed with a point. */
  header?(run: ShownRun): Promise<FileHeader>;
  /** What is still wrong with rows, in their order; an empty list for a row that would be taken now. */
  check(run: ShownRun, rows: readonly Cells[]): Promise<readonly (readonly Fault[])[]>;
  /** Starts a run over the corrected rows (or over those chosen) and returns its id and how many rows it has. */
  replay(run: ShownRun, which: ReplayedRows, by: ReplayedBy): Promise<{ runId: string; rows: number }>;
}

interface ReplayedRows {
  readonly rejectIds: readonly string[] | undefined;
  readonly takesOpen: boolean;
}

interface ReplayedBy {
  readonly principal: Principal;
  readonly idempotencyKey: string | undefined;
  readonly correlationId: string;
}

/** What `startReplay` is asked, in the name of whoever asked for the replay. */
export function replayRequest(
  run: Pick<ShownRun, 'id' | 'tenant_id'>,
  which: ReplayedRows,
  { principal, correlationId }: ReplayedBy,
): ReplayRequest {
  return { tenantId: run.tenant_id, runId: run.id, ...which, correlationId, createdBy: makerOf(principal) };
}
