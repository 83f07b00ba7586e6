// Replaying corrected rows of an upload: read as the original was, judged one by one.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Engine } from '../../engine/engine.ts';
import { type ReplayRequest, startReplay } from '../../engine/replay.ts';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import { withTenant } from '../../platform/database.ts';
import { replayFile } from '../../tabular/replay-rows.ts';
import { AdsInput } from './input.ts';
import { selectUploadReading, type UploadReadingRow } from './sql/upload-readings.ts';

export async function replayRejects(
  engine: Engine,
  store: BlobStore,
  request: ReplayRequest,
): Promise<{ runId: string; rows: number }> {
  const { tenantId, runId } = request;
  const original = AdsInput.parse((await engine.run(tenantId, runId)).input);
  const readAs = original.replay_of ?? runId;
  const { reading } = await readingOf(engine, tenantId, readAs);
  return startReplay(engine, store, request, {
    pipeline: 'ads',
    write: (rejects) => replayFile(reading, rejects),
    // The gate judged the file; the rows of a replay are judged one by one.
    input: () => ({ ...original, replay_of: readAs, force_partial: true, filename: original.filename ?? null }),
  });
}

async function readingOf(engine: Engine, tenantId: string, runId: string): Promise<UploadReadingRow> {
  const found = await withTenant(engine.pools.effects, { tenantId, role: 'ads_parse' }, (tx) =>
    selectUploadReading(tx, runId),
  );
  if (found === undefined) throw new MillraceError('replay_rows_gone', { run: runId });
  return found;
}
