// Replaying corrected rows: they are written to a blob of their own, and a run over it is enqueued in the transaction that marks them as
// replayed. Killed in between, either both happened or neither; a blob without a run is swept.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { recordBlob } from '../../engine/blobs/blobs.ts';
import { storeFile } from '../../engine/blobs/store-file.ts';
import type { Engine } from '../../engine/engine.ts';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import { withTenant, withTransaction } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { replayRow } from './corrections.ts';
import { AdsInput } from './input.ts';
import { writeReplayRows } from './replay-rows.ts';
import { markReplayed, resolveReplayed, selectCorrectedRejects } from './sql/select-corrected-rejects.ts';
import { selectUploadReading, type UploadReadingRow } from './sql/upload-readings.ts';

export interface ReplayRequest {
  readonly tenantId: string;
  readonly runId: string;
  /** Only these of the corrected rows. */
  readonly rejectIds?: readonly string[] | undefined;
  readonly createdBy?: string | undefined;
  readonly correlationId?: string | undefined;
}

const MAX_REPLAY_BYTES = 1024 ** 3;

export async function replayRejects(
  engine: Engine,
  store: BlobStore,
  request: ReplayRequest,
): Promise<{ runId: string; rows: number }> {
  const { tenantId, runId } = request;
  const run = await engine.run(tenantId, runId);
  const original = AdsInput.parse(run.input);
  const readAs = original.replay_of ?? runId;
  const upload = await readingOf(engine, tenantId, readAs);
  const id = uuidv7();
  const rows = await withTransaction(engine.pools.control, async (tx) => {
    const rejects = await selectCorrectedRejects(tx, tenantId, runId, request.rejectIds ?? null);
    if (rejects.length === 0) throw new MillraceError('nothing_to_replay', { run: runId });
    const lines = rejects.map(({ line, byte_offset, item, correction }) =>
      replayRow(upload, { line, byteOffset: byte_offset }, { ...item, ...correction.cells }),
    );
    const file = await storeFile(store, {
      tenantId,
      fileName: `replay-${runId}.ndjson`,
      body: once(writeReplayRows(lines)),
      maxBytes: MAX_REPLAY_BYTES,
      sniff: () => ({ format: 'ndjson', mediaType: 'application/x-ndjson' }),
    });
    await recordBlob(tx, file, { createdBy: request.createdBy });
    await engine.enqueueIn(tx, [
      {
        id,
        pipeline: 'ads',
        tenantId,
        blobId: file.blobId,
        // The gate judged the file; the rows of a replay are judged one by one.
        input: { ...original, replay_of: readAs, force_partial: true, filename: original.filename ?? null },
        ...(request.createdBy === undefined ? {} : { createdBy: request.createdBy }),
        ...(request.correlationId === undefined ? {} : { correlationId: request.correlationId }),
      },
    ]);
    await markReplayed(
      tx,
      tenantId,
      runId,
      rejects.map(({ reject_id }) => reject_id),
      id,
    );
    return rejects.length;
  });
  engine.wake();
  return { runId: id, rows };
}

/** Settles the rejects whose replay has ended; to be added to the engine as a consumer of the outbox. */
export const replayConsumer: Parameters<Engine['consume']>[0] = {
  name: 'ads-replays',
  async apply(tx, events) {
    const ended = events.flatMap(({ type, run_id }) => (type === 'run.done' && run_id !== null ? [run_id] : []));
    if (ended.length > 0) await resolveReplayed(tx, ended);
  },
};

async function readingOf(engine: Engine, tenantId: string, runId: string): Promise<UploadReadingRow> {
  const found = await withTenant(engine.pools.effects, { tenantId, role: 'ads_parse' }, (tx) =>
    selectUploadReading(tx, runId),
  );
  if (found === undefined) throw new MillraceError('replay_rows_gone', { run: runId });
  return found;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
