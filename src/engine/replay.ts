// Replaying corrected rows: they are written to a blob of their own, and a run over it is enqueued in the transaction that marks them as
// replayed. Killed in between, either both happened or neither; a blob without a run is swept. What a row looks like in the blob, and
// what the run is asked to do, the pipeline decides.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { BlobStore } from '../platform/blob/blob-store.ts';
import { withTransaction } from '../platform/database.ts';
import { failpoint } from '../platform/failpoints.ts';
import { uuidv7 } from '../platform/ids.ts';
import { recordBlob } from './blobs/blobs.ts';
import { once, type StoredFile, storeFile } from './blobs/store-file.ts';
import type { Engine } from './engine.ts';
import { reopenReplayed } from './sql/reopen-replayed.ts';
import { type CorrectedReject, markReplayed, resolveReplayed, selectCorrectedRejects } from './sql/replay-rejects.ts';

export interface ReplayRequest {
  readonly tenantId: string;
  readonly runId: string;
  /** Only these of them. */
  readonly rejectIds?: readonly string[] | undefined;
  /** Also rows that nobody has corrected, as they are: what refused them may be gone. */
  readonly takesOpen?: boolean | undefined;
  readonly createdBy?: string | undefined;
  readonly correlationId?: string | undefined;
}

export interface ReplayPlan {
  readonly pipeline: string;
  /** The corrected rows as the bytes of a blob. */
  readonly write: (rejects: readonly CorrectedReject[]) => Buffer;
  /** What that is. Default: a JSON object per line. */
  readonly file?: { readonly format: string; readonly mediaType: string };
  /** What the run over them is asked to do; `rejects_of` is added. */
  readonly input: (file: StoredFile) => Readonly<Record<string, unknown>>;
  readonly uniqueKey?: (runId: string) => string;
}

const MAX_REPLAY_BYTES = 1024 ** 3;
const ndjson = { format: 'ndjson', mediaType: 'application/x-ndjson' };

export async function startReplay(
  engine: Engine,
  store: BlobStore,
  request: ReplayRequest,
  plan: ReplayPlan,
): Promise<{ runId: string; rows: number }> {
  const { tenantId, runId, createdBy, correlationId } = request;
  const id = uuidv7();
  const rows = await withTransaction(engine.pools.control, async (tx) => {
    const rejects = await selectCorrectedRejects(tx, tenantId, runId, {
      rejectIds: request.rejectIds ?? null,
      takesOpen: request.takesOpen ?? false,
    });
    if (rejects.length === 0) throw new MillraceError('nothing_to_replay', { run: runId });
    const written = plan.file ?? ndjson;
    const file = await storeFile(store, {
      tenantId,
      fileName: `replay-${runId}.${written.format}`,
      body: once(plan.write(rejects)),
      maxBytes: MAX_REPLAY_BYTES,
      sniff: () => written,
    });
    await recordBlob(tx, file, { createdBy });
    await engine.enqueueIn(tx, [
      {
        id,
        pipeline: plan.pipeline,
        tenantId,
        blobId: file.blobId,
        input: { ...plan.input(file), rejects_of: runId },
        ...(plan.uniqueKey === undefined ? {} : { uniqueKey: plan.uniqueKey(id) }),
        ...(createdBy === undefined ? {} : { createdBy }),
        ...(correlationId === undefined ? {} : { correlationId }),
      },
    ]);
    const ids = rejects.map(({ reject_id }) => reject_id);
    await markReplayed(tx, tenantId, runId, ids, id);
    failpoint('replay.before_commit');
    return rejects.length;
  });
  engine.wake();
  return { runId: id, rows };
}

/** Settles the rejects whose replay has ended, of every pipeline; a replay that failed gives them back; to be added to the engine as a consumer of the outbox. */
export const replayConsumer: Parameters<Engine['consume']>[0] = {
  name: 'replays',
  async apply(tx, events) {
    const ended = (wanted: string) =>
      events.flatMap(({ type, run_id }) => (type === wanted && run_id !== null ? [run_id] : []));
    const [done, failed] = [ended('run.done'), ended('run.failed')];
    if (done.length > 0) await resolveReplayed(tx, done);
    if (failed.length > 0) await reopenReplayed(tx, failed);
  },
};
