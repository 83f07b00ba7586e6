// Replaying corrected rows of a batch: read as the original was. A replay is no revision of its batch, so the batch keeps its newest
// file, and uploading that again is still recognised.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Engine } from '../../engine/engine.ts';
import { type ReplayRequest, startReplay } from '../../engine/replay.ts';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import { withTenant } from '../../platform/database.ts';
import { replayFile } from '../../tabular/replay-rows.ts';
import { JudgmentsInput } from './input.ts';
import type { BatchReading } from './reading.ts';
import { selectBatchReading } from './sql/batch-readings.ts';

export async function replayRejects(
  engine: Engine,
  store: BlobStore,
  request: ReplayRequest,
): Promise<{ runId: string; rows: number }> {
  const { tenantId, runId } = request;
  const run = await engine.run(tenantId, runId);
  const original = JudgmentsInput.parse(run.input);
  const { reading } = await readingOfRun(engine, { tenantId, runId, input: original });
  return startReplay(engine, store, request, {
    pipeline: 'judgments',
    write: (rejects) => replayFile(reading, rejects),
    input: ({ sha256 }) => ({
      ...original,
      file_hash: sha256.toString('hex'),
      replay_of: original.replay_of ?? runId,
    }),
    uniqueKey: (id) => `${original.source_batch_id}#replay-${id}`,
  });
}

/** A replay reads as the run it replays did. */
export async function readingOfRun(
  engine: Engine,
  run: { readonly tenantId: string; readonly runId: string; readonly input: JudgmentsInput },
): Promise<BatchReading> {
  const found = await withTenant(engine.pools.effects, { tenantId: run.tenantId, role: 'judgments_import' }, (tx) =>
    selectBatchReading(tx, run.input.replay_of ?? run.runId),
  );
  if (found === undefined) throw new MillraceError('reading_not_ready', { upload: run.runId });
  return found;
}
