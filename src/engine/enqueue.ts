// Accepting work. Once `enqueue` has answered, the run is on disk and will reach exactly one terminal state.
// Ids are made here, so that an answer lost with its connection can be asked for instead of repeated blindly.
import { z } from 'zod';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Queryable } from '../platform/database.ts';
import { translateDatabaseError } from '../platform/database-errors.ts';
import { failpoint } from '../platform/failpoints.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { AnyPipeline, Registry } from './pipeline.ts';
import { enqueueRuns, findHolder, type NewRun } from './sql/enqueue-runs.ts';

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
  readonly createdBy?: string;
  readonly createdIp?: string;
}

export interface Enqueued {
  readonly id: string;
  /** False: this run was there already, found by unique or active key. */
  readonly created: boolean;
}

export const MAX_RUNS_PER_CALL = 10_000;
const MAX_KEY_LENGTH = 500;

/** In one statement on `db`: inside the caller's transaction when it is the client of one. */
export async function enqueue(
  db: Queryable,
  registry: Registry,
  requests: readonly EnqueueRequest[],
): Promise<Enqueued[]> {
  if (requests.length === 0) return [];
  if (requests.length > MAX_RUNS_PER_CALL) {
    throw new MillraceError('batch_too_large', { count: requests.length, limit: MAX_RUNS_PER_CALL });
  }
  const runs = requests.map((request) => prepare(registry, request));
  const announced = [...registry.values()].filter((p) => p.announce.includes('queued')).map((p) => p.name);
  failpoint('enqueue.before_commit');
  const added = new Set(await enqueueRuns(db, runs, announced));
  failpoint('enqueue.after_commit');
  const answers: Enqueued[] = [];
  for (const run of runs)
    answers.push(added.has(run.id) ? { id: run.id, created: true } : await existing(db, run, announced));
  return answers;
}

/** Whoever holds the key may end, and free it, between our insert and our question: then the run is added after all. */
async function existing(db: Queryable, run: NewRun, announced: readonly string[]): Promise<Enqueued> {
  for (;;) {
    const holder = await findHolder(db, run);
    if (holder !== undefined) return { id: holder, created: false };
    if ((await enqueueRuns(db, [run], announced)).length === 1) return { id: run.id, created: true };
  }
}

/** The same on a pool, outliving a connection that breaks under the call: the ids say whether it had landed. */
export async function enqueueSafely(
  pool: Queryable,
  registry: Registry,
  requests: readonly EnqueueRequest[],
): Promise<Enqueued[]> {
  const identified = requests.map((request) => ({ ...request, id: request.id ?? uuidv7() }));
  try {
    return await enqueue(pool, registry, identified);
  } catch (error) {
    const ours = translateDatabaseError(error);
    if (!(ours instanceof MillraceError) || ours.code !== 'database_lost') throw ours;
    const answers = await enqueue(pool, registry, identified).catch((again) => {
      throw translateDatabaseError(again);
    });
    return answers.map((answer, index) => ({
      ...answer,
      created: answer.created || answer.id === identified[index]?.id,
    }));
  }
}

export function pipelineNamed(registry: Registry, name: string): AnyPipeline {
  const pipeline = registry.get(name);
  if (!pipeline)
    throw new MillraceError('pipeline_unknown', { pipeline: name, known: [...registry.keys()].join(', ') || 'none' });
  return pipeline;
}

function prepare(registry: Registry, request: EnqueueRequest): NewRun {
  const pipeline = pipelineNamed(registry, request.pipeline);
  const parsed = pipeline.input.safeParse(request.input);
  if (!parsed.success) {
    throw new MillraceError('input_invalid', { pipeline: pipeline.name, reason: z.prettifyError(parsed.error) });
  }
  const input = JSON.stringify(request.input ?? {});
  const bytes = Buffer.byteLength(input);
  if (bytes > pipeline.maxInputBytes) {
    throw new MillraceError('input_too_large', { pipeline: pipeline.name, bytes, limit: pipeline.maxInputBytes });
  }
  return {
    id: request.id ?? uuidv7(),
    tenantId: request.tenantId,
    pipeline: pipeline.name,
    status: pipeline.machine.initial,
    lane: pipeline.lane({ tenantId: request.tenantId, input: parsed.data }),
    priority: request.priority ?? 0,
    input,
    uniqueKey: checkedKey(pipeline.name, 'unique_key', request.uniqueKey),
    activeKey: checkedKey(
      pipeline.name,
      'active_key',
      request.activeKey ?? pipeline.activeKey?.({ tenantId: request.tenantId, input: parsed.data }),
    ),
    availableAt: request.availableAt ?? null,
    blobId: request.blobId ?? null,
    sourceId: request.sourceId ?? null,
    retryOf: request.retryOf ?? null,
    correlationId: request.correlationId ?? null,
    createdBy: request.createdBy ?? null,
    createdIp: request.createdIp ?? null,
  };
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
