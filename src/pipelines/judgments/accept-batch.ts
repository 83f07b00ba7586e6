// Whether a file becomes a batch. One rule for every way in: the same id and bytes are skipped and name the run that has them; the same
// id with other bytes is refused and alerted, unless it is said to supersede; a failed batch is never replaced in silence. A file of
// corrected rejects is no revision of its batch: it has an id of its own, made from its bytes, and lands once like any other.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { nextRevision } from '../../engine/actions.ts';
import type { StoredFile } from '../../engine/blobs/store-file.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Enqueued, EnqueueRequest } from '../../engine/enqueue.ts';
import { withTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Hold } from '../../sources/intake.ts';
import { alertEvent } from './alerts.ts';
import { batchIdOf, DEFAULT_VENDOR } from './batch-id.ts';
import type { Policies } from './column-policy.ts';
import type { JudgmentsInput } from './input.ts';
import { type BatchRevision, findNewestRevision } from './sql/find-batch.ts';

export interface BatchRequest {
  readonly tenantId: string;
  readonly file: StoredFile;
  readonly sourceBatchId?: string | undefined;
  readonly vendor?: string | undefined;
  readonly supersede?: boolean;
  /** The run whose downloaded rejects this file brings back: it is read and stored as that batch was. */
  readonly corrects?: { readonly runId: string; readonly input: JudgmentsInput } | undefined;
  readonly policies?: Policies;
  readonly nullToken?: string | undefined;
  readonly onDoubt?: JudgmentsInput['on_doubt'];
  readonly createdBy?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly hold?: Hold | undefined;
}

export type SkipReason = 'duplicate_completed' | 'duplicate_pending' | 'duplicate_processing';

export interface AcceptedBatch {
  readonly runId: string;
  /** With its revision. */
  readonly sourceBatchId: string;
  readonly status: BatchRevision['status'];
  readonly outcome: 'accepted' | 'skipped';
  readonly reason?: SkipReason;
  readonly supersedes?: string;
}

export interface AcceptDeps {
  readonly engine: Pick<Engine, 'enqueue' | 'enqueueIn' | 'wake' | 'emit' | 'pools'>;
  readonly log: Log;
}

export async function acceptBatch(deps: AcceptDeps, request: BatchRequest): Promise<AcceptedBatch> {
  const vendor = request.vendor ?? DEFAULT_VENDOR;
  const { corrects, file } = request;
  const batchId =
    corrects === undefined
      ? batchIdOf(request.sourceBatchId, vendor, file.originalName)
      : `${corrects.input.source_batch_id}#corrected-${hashOf(file).slice(0, 16)}`;
  for (;;) {
    const newest = await findNewestRevision(deps.engine.pools.control, request.tenantId, batchId);
    const known = newest === undefined ? undefined : await judgeKnown(deps, request, batchId, newest);
    if (known !== undefined) return known;
    const uniqueKey = newest === undefined ? batchId : nextRevision(newest.unique_key);
    const accepted = await add(deps, request, { batchId, vendor, uniqueKey, supersedes: newest?.id });
    // Not added: somebody uploaded the same id at the same moment, and is judged like any other.
    if (accepted !== undefined) return accepted;
  }
}

/** What becomes of a file whose batch is known; undefined when it may be added as the next revision. */
async function judgeKnown(
  deps: AcceptDeps,
  request: BatchRequest,
  batchId: string,
  newest: BatchRevision,
): Promise<AcceptedBatch | undefined> {
  const isSame = newest.file_hash === hashOf(request.file);
  const isLive = newest.phase === 'waiting' || newest.phase === 'active';
  const run = { batch: batchId, run: newest.id };
  if (isSame && newest.status !== 'failed') return skip(deps, newest);
  if (request.supersede === true) {
    if (isLive) throw new MillraceError('batch_still_running', { ...run, status: newest.status });
    return undefined;
  }
  if (newest.status === 'failed') throw new MillraceError('batch_failed_before', run);
  const message = `[BATCH CONTENT CHANGED] ${newest.unique_key}: uploaded again with other content`;
  const alert = alertEvent(
    { tenantId: request.tenantId, runId: newest.id },
    { rule: 'batch_content_changed', severity: 'WARNING', message, key: hashOf(request.file) },
  );
  await deps.engine.emit([alert]);
  throw new MillraceError('batch_content_changed', run);
}

function skip({ log }: AcceptDeps, { id, unique_key: sourceBatchId, status }: BatchRevision): AcceptedBatch {
  const reason: SkipReason =
    status === 'pending'
      ? 'duplicate_pending'
      : status === 'processing'
        ? 'duplicate_processing'
        : 'duplicate_completed';
  log.info({ source_batch_id: sourceBatchId, reason }, 'Duplicate skipped');
  return { runId: id, sourceBatchId, status, outcome: 'skipped', reason };
}

async function add(
  { engine }: AcceptDeps,
  request: BatchRequest,
  batch: { batchId: string; vendor: string; uniqueKey: string; supersedes: string | undefined },
): Promise<AcceptedBatch | undefined> {
  const { file, createdBy, correlationId, sourceId, hold } = request;
  const supersedes = batch.supersedes === undefined ? {} : { supersedes: batch.supersedes };
  const input = { ...inputOf(request, batch), filename: file.originalName, file_hash: hashOf(file), ...supersedes };
  const wish = {
    pipeline: 'judgments',
    tenantId: request.tenantId,
    uniqueKey: batch.uniqueKey,
    blobId: file.blobId,
    input,
    ...(createdBy === undefined ? {} : { createdBy }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(sourceId === undefined ? {} : { sourceId }),
  };
  const { id, created } = hold === undefined ? await engine.enqueue(wish) : await enqueueHeld(engine, wish, hold);
  if (!created) return undefined;
  return { runId: id, sourceBatchId: batch.uniqueKey, status: 'pending', outcome: 'accepted', ...supersedes };
}

/** Content of a source, which nobody else must have taken over meanwhile. */
async function enqueueHeld(
  { enqueueIn, pools, wake }: AcceptDeps['engine'],
  wish: EnqueueRequest,
  hold: Hold,
): Promise<Enqueued> {
  const [run] = await withTransaction(pools.control, async (tx) => {
    await hold(tx);
    return enqueueIn(tx, [wish]);
  });
  wake();
  return run as Enqueued;
}

function inputOf(
  { corrects, policies, nullToken, onDoubt }: BatchRequest,
  batch: { batchId: string; vendor: string },
): Omit<JudgmentsInput, 'file_hash'> {
  if (corrects === undefined)
    return {
      source_batch_id: batch.batchId,
      vendor: batch.vendor,
      ...(policies === undefined ? {} : { policies }),
      ...(nullToken === undefined ? {} : { null_token: nullToken }),
      ...(onDoubt === undefined ? {} : { on_doubt: onDoubt }),
    };
  const { runId, input } = corrects;
  return {
    source_batch_id: input.source_batch_id,
    ...(input.vendor == null ? {} : { vendor: input.vendor }),
    ...(input.policies === undefined ? {} : { policies: input.policies }),
    ...(input.null_token === undefined ? {} : { null_token: input.null_token }),
    corrects: runId,
    rejects_of: runId,
  };
}

function hashOf(file: Pick<StoredFile, 'sha256'>): string {
  return file.sha256.toString('hex');
}
