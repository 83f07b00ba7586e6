// How refused rows of a batch are fixed: checked by the batch's own reading and mapping, and run again as a batch of their own.
import type { Engine } from '../../../engine/engine.ts';
import type { ShownRun } from '../../../engine/reads/run-columns.ts';
import { headerOf } from '../../../http/reject-tools/header-of.ts';
import { type RejectTools, replayRequest } from '../../../http/reject-tools/reject-tools.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import { checkRows } from '../corrections.ts';
import { JudgmentsInput } from '../input.ts';
import { readingOfRun, replayRejects } from '../replay.ts';

export function judgmentsRejectTools(engine: Engine, store: BlobStore): RejectTools {
  const readingOf = ({ tenant_id: tenantId, id: runId }: ShownRun, input: JudgmentsInput) =>
    readingOfRun(engine, { tenantId, runId, input });
  return {
    header: async (run) => headerOf((await readingOf(run, JudgmentsInput.parse(run.input))).reading),
    check: async (run, rows) => {
      const input = JudgmentsInput.parse(run.input);
      return checkRows(await readingOf(run, input), input.null_token, rows);
    },
    replay: (run, which, by) => replayRejects(engine, store, replayRequest(run, which, by)),
  };
}
