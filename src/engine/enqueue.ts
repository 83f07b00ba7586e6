// Accepting work. Once `enqueue` has answered, the run is on disk and will reach exactly one terminal state.
// Ids are made here, so that an answer lost with its connection can be asked for instead of repeated blindly.

import { setImmediate as leaveToSocket } from 'node:timers/promises';
import { faultsIn } from '../contract/errors/faults-in.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { type Pool, type Queryable, withTransaction } from '../platform/database.ts';
import { sqlStateOf, translateDatabaseError } from '../platform/database-errors.ts';
import { failpoint } from '../platform/failpoints.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { AnyPipeline, Registry } from './pipeline.ts';
import { type EnqueueManner, enqueueRuns, findHolder, findThere, type NewRun } from './sql/enqueue-runs.ts';
import { inTurn } from './sql/in-turn.ts';

export interface EnqueueRequest {
  readonly pipeline: string;
  readonly tenantId: string;
  readonly input: unknown;
  /** Made by the caller when it must know the id first (a blob stored under it); otherwise made here. */
  readonly id?: string;
  /** Once ever per tenant and pipeline: the run that has it already is returned instead. */
  readonly uniqueKey?: string;
  /** At most one live run per tenant and pipeline: the live one is returned instead. */
  readonly activeKey?: string;
  /** Lower comes first within a lane. */
  readonly priority?: number;
  readonly availableAt?: Date;
  readonly blobId?: string;
  readonly sourceId?: string;
  readonly retryOf?: string;
  readonly correlationId?: string;
  readonly createdBy?: string | undefined;
  readonly createdIp?: string;
}

export interface Enqueued {
  readonly id: string;
  /** False: this run was there already, found by unique or active key. */
  readonly created: boolean;
}

const MAX_RUNS_PER_CALL = 10_000;
const MAX_KEY_LENGTH = 500;
/** The class of SQLSTATEs that are about a value. */
const DATA_EXCEPTION = '22';
// Small enough that the server starts early, large enough that its round trips do not count.
const CHUNK = 2_500;

/** In one statement on `db`, the client of the caller's own transaction. */
export async function enqueue(
  db: Queryable,
  registry: Registry,
  requests: readonly EnqueueRequest[],
): Promise<Enqueued[]> {
  checkCount(requests);
  const runs = requests.map((request) => prepare(registry, request));
  return runs.length === 0 ? [] : write(db, runs, { announced: announcedBy(registry), wakes: false, isNew: false });
}

/** In a transaction of its own, outliving a connection that breaks under the call: the ids say whether it had landed. */
export async function enqueueSafely(
  pool: Pool,
  registry: Registry,
  requests: readonly EnqueueRequest[],
  given: Pick<EnqueueManner, 'wakes' | 'answerWithinMs'>,
): Promise<Enqueued[]> {
  checkCount(requests);
  const manner = { announced: announcedBy(registry), ...given };
  const runs: NewRun[] = [];
  const isNew = requests.every((request) => request.id === undefined);
  try {
    if (requests.length > CHUNK) return await writeInChunks(pool, registry, requests, runs, { ...manner, isNew });
    for (const request of requests) runs.push(prepare(registry, request));
    return runs.length === 0 ? [] : await write(pool, runs, { ...manner, isNew });
  } catch (error) {
    const ours = translateDatabaseError(error);
    if (!(ours instanceof MillraceError) || ours.code !== 'database_lost') throw ours;
    for (const request of requests.slice(runs.length)) runs.push(prepare(registry, request));
    const answers = await write(pool, runs, { ...manner, isNew: false }).catch((again) => {
      throw translateDatabaseError(again);
    });
    return answers.map((answer, index) => ({ ...answer, created: answer.created || answer.id === runs[index]?.id }));
  }
}

/** One transaction; the next chunk is prepared while the server is busy with the one before. Fills `runs`. */
function writeInChunks(
  pool: Pool,
  registry: Registry,
  requests: readonly EnqueueRequest[],
  runs: NewRun[],
  manner: EnqueueManner,
): Promise<Enqueued[]> {
  return withTransaction(pool, async (tx) => {
    const line = inTurn(tx);
    const writing: Promise<Enqueued[]>[] = [];
    try {
      while (runs.length < requests.length) {
        const chunk = requests.slice(runs.length, runs.length + CHUNK).map((request) => prepare(registry, request));
        runs.push(...chunk);
        const written = write(line, chunk, { ...manner, wakes: manner.wakes && runs.length === requests.length });
        writing.push(written);
        // Heard below; until then nobody listens.
        written.catch(() => {});
        await leaveToSocket();
        if (runs.length < requests.length) failpoint('enqueue.between_chunks');
      }
    } finally {
      // A queued statement would otherwise go out after the rollback, on a connection that is somebody else's.
      await Promise.allSettled(writing);
    }
    return (await Promise.all(writing)).flat();
  });
}

async function write(db: Queryable, runs: readonly NewRun[], manner: EnqueueManner): Promise<Enqueued[]> {
  const isNew = manner.isNew && runs.every(hasNoKey);
  failpoint('enqueue.before_commit');
  const added = await enqueueRuns(db, runs, { ...manner, isNew }).catch((error) => {
    throw explainData(error, runs);
  });
  failpoint('enqueue.after_commit');
  if (added === 'all') return runs.map(({ id }) => ({ id, created: true }));
  const ids = new Set(added);
  const refused = runs.flatMap(({ id }) => (ids.has(id) ? [] : [id]));
  // Asked for all at once: when the answer to a large call was lost, every one of them is there.
  const there = await findThere(db, refused);
  const answers: Enqueued[] = [];
  for (const run of runs) {
    if (ids.has(run.id)) answers.push({ id: run.id, created: true });
    else answers.push(there.has(run.id) ? { id: run.id, created: false } : await existing(db, run, manner));
  }
  return answers;
}

/** The run that holds the key may end and free it between our insert and our look-up: then the run is added after all. */
async function existing(db: Queryable, run: NewRun, manner: EnqueueManner): Promise<Enqueued> {
  for (;;) {
    const holder = await findHolder(db, run);
    if (holder !== undefined) return { id: holder, created: false };
    if ((await enqueueRuns(db, [run], { ...manner, isNew: false })) === 'all') return { id: run.id, created: true };
  }
}

function hasNoKey(run: NewRun): boolean {
  return run.uniqueKey === null && run.activeKey === null && run.retryOf === null;
}

function announcedBy(registry: Registry): string[] {
  return [...registry.values()].filter((p) => p.announce.includes('queued')).map((p) => p.name);
}

function checkCount(requests: readonly EnqueueRequest[]): void {
  if (requests.length > MAX_RUNS_PER_CALL) {
    throw new MillraceError('batch_too_large', { count: requests.length, limit: MAX_RUNS_PER_CALL });
  }
}

export function pipelineNamed(registry: Registry, name: string): AnyPipeline {
  const pipeline = registry.get(name);
  if (!pipeline)
    throw new MillraceError('pipeline_unknown', { pipeline: name, known: [...registry.keys()].join(', ') || 'none' });
  return pipeline;
}

/** The input as it is stored, and as its pipeline reads it; refused when the pipeline does not take it. */
export function checkedInput(pipeline: AnyPipeline, input: unknown): { json: string; data: unknown } {
  const parsed = pipeline.input.safeParse(input);
  if (!parsed.success) {
    throw new MillraceError('input_invalid', { pipeline: pipeline.name, reason: faultsIn(parsed.error, 'input') });
  }
  const json = jsonOf(pipeline, input ?? {});
  const bytes = Buffer.byteLength(json);
  if (bytes > pipeline.maxInputBytes) {
    throw new MillraceError('input_too_large', { pipeline: pipeline.name, bytes, limit: pipeline.maxInputBytes });
  }
  return { json, data: parsed.data };
}

function prepare(registry: Registry, request: EnqueueRequest): NewRun {
  const pipeline = pipelineNamed(registry, request.pipeline);
  const { json, data } = checkedInput(pipeline, request.input);
  return {
    id: request.id ?? uuidv7(),
    tenantId: request.tenantId,
    pipeline: pipeline.name,
    status: pipeline.machine.initial,
    lane: pipeline.lane({ tenantId: request.tenantId, input: data }),
    priority: request.priority ?? 0,
    input: json,
    uniqueKey: checkedKey(pipeline.name, 'unique_key', request.uniqueKey),
    activeKey: checkedKey(
      pipeline.name,
      'active_key',
      request.activeKey ?? pipeline.activeKey?.({ tenantId: request.tenantId, input: data }),
    ),
    availableAt: checkedTime(pipeline.name, request.availableAt ?? overdueAt(pipeline)),
    blobId: request.blobId ?? null,
    sourceId: request.sourceId ?? null,
    retryOf: request.retryOf ?? null,
    correlationId: request.correlationId ?? null,
    createdBy: request.createdBy ?? null,
    createdIp: request.createdIp ?? null,
  };
}

/** Until then a run that is to be delivered is in nobody's queue. */
function overdueAt({ overdueAfterMs }: AnyPipeline): Date | undefined {
  return overdueAfterMs === undefined ? undefined : new Date(Date.now() + overdueAfterMs);
}

/** What the server cannot store as given, say a NUL in a text or an id that is none, is the caller's to correct. */
function explainData(error: unknown, runs: readonly NewRun[]): unknown {
  if (sqlStateOf(error)?.startsWith(DATA_EXCEPTION) !== true) return error;
  const pipeline = [...new Set(runs.map((run) => run.pipeline))].join(', ');
  return new MillraceError('input_invalid', { pipeline, reason: (error as Error).message }, { cause: error });
}

function jsonOf(pipeline: AnyPipeline, input: unknown): string {
  try {
    return JSON.stringify(input);
  } catch (error) {
    const reason = ((error as Error).message.split('\n')[0] ?? '').trim();
    throw new MillraceError('input_invalid', { pipeline: pipeline.name, reason }, { cause: error });
  }
}

function checkedTime(pipeline: string, time: Date | undefined): Date | null {
  if (time === undefined) return null;
  if (Number.isNaN(time.getTime()))
    throw new MillraceError('input_invalid', { pipeline, reason: 'available_at is not a time' });
  return time;
}

function checkedKey(pipeline: string, name: string, key: string | undefined): string | null {
  if (key === undefined) return null;
  if (key.length === 0 || key.length > MAX_KEY_LENGTH) {
    throw new MillraceError('input_invalid', {
      pipeline,
      reason: `${name} must have 1 to ${MAX_KEY_LENGTH} characters`,
    });
  }
  return key;
}
