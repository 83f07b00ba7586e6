// The engine as the rest of the product sees it: accept work, act on it, read it, and run it in this process.
// It knows no pipeline; those are passed in.
import type { Queryable } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import * as actions from './actions.ts';
import { Background, type EngineRoles } from './background.ts';
import type { ConsumerOptions } from './consumer.ts';
import { answerLimitMs, ENQUEUE_LIMIT_MS, type EnginePools } from './engine-pools.ts';
import { type Enqueued, type EnqueueRequest, enqueue, enqueueSafely, pipelineNamed } from './enqueue.ts';
import { registerMachines } from './machines.ts';
import { type AnyPipeline, type Registry, registryOf } from './pipeline.ts';
import { answerQuestion } from './questions.ts';
import { type RateLimit, takeOrThrow, tryTake } from './rate-limits.ts';
import type { RunFilter } from './reads/list-runs.ts';
import { listRuns } from './reads/list-runs.ts';
import { findRun } from './reads/read-run.ts';
import type { RunRow } from './reads/run-columns.ts';
import { type ScheduleRequest, saveSchedule } from './schedules.ts';
import type { Elected } from './services/election.ts';
import { defaultRetention, type Retention } from './services/pruner.ts';
import { defaultSettings, type EngineSettings } from './settings.ts';
import { pauseLane, unpauseLane } from './sql/act-on-runs.ts';
import { type Delivered, failUndelivered, makeSomeClaimable, type UndeliveredRun } from './sql/delivered-runs.ts';
import { forgetConsumer } from './sql/event-feed.ts';
import { insertEvents, type OutboxRow } from './sql/insert-events.ts';
import { lookForWork } from './sql/look-for-work.ts';
import { deleteSchedule, engineTime, listSchedules } from './sql/schedules.ts';
import { type Verification, verifyRun } from './verify.ts';
import { Vitals } from './vitals.ts';
import { type WhyWaiting, whyWaiting } from './why.ts';

export interface EngineOptions {
  readonly pools: EnginePools;
  readonly pipelines: readonly AnyPipeline[];
  readonly settings?: Partial<EngineSettings>;
  readonly retention?: Partial<Retention>;
  readonly log: Log;
  readonly version: string;
}

/** Of runs that are not delivered any more. */
const RELEASED_AT_ONCE = 1_000;

/** What every part of the engine works with. */
interface Parts {
  readonly pools: EnginePools;
  readonly registry: Registry;
  readonly settings: EngineSettings;
  readonly background: Background;
}

export type Engine = ReturnType<typeof createEngine>;

export function createEngine(options: EngineOptions) {
  const { pools, log, version } = options;
  const settings: EngineSettings = { ...defaultSettings, ...options.settings };
  const retention = { ...defaultRetention, ...options.retention };
  const registry: Registry = registryOf(options.pipelines);
  const vitals = new Vitals();
  const background = new Background({ pools, registry, settings, retention, log, version, vitals });
  const parts = { pools, registry, settings, background };
  return {
    registry,
    settings,
    pools,
    vitals,
    /** Which process does the background work, for services beside the engine's own. */
    election: background.election as Elected,

    /** Writes the machines of this process into the database. Once, before anything else. */
    register: () => registerMachines(pools.control, registry, settings),

    ...accepting(parts),
    ...reading(parts),
    ...acting(parts),
    ...planning(parts),

    tryTake: (limit: RateLimit, tokens?: number) => tryTake(pools.control, limit, tokens),
    takeOrThrow: (limit: RateLimit, tokens?: number) => takeOrThrow(pools.control, limit, tokens),

    /** Events that belong to no run's end, in the caller's transaction or on their own. */
    async emit(events: readonly OutboxRow[], tx: Queryable = pools.control): Promise<void> {
      await insertEvents(tx, events);
    },
    onEvents: (listener: () => void): (() => void) => background.onEvents(listener),
    consume: (consumer: Pick<ConsumerOptions, 'name' | 'apply'>): void => background.consume(consumer),

    ...delivering(parts),
    start: (roles?: EngineRoles): Promise<void> => background.start(roles),
    stop: (): Promise<void> => background.stop(),
  };
}

function accepting({ pools, registry, settings, background }: Parts) {
  const answerWithinMs = Math.min(ENQUEUE_LIMIT_MS, answerLimitMs(settings.leaseMs));
  let enqueuing = 0;

  /** Who enqueues alone wakes the workers with the commit, a round trip earlier; a crowd shares wake-ups of their own. */
  async function enqueueAndWake(requests: readonly EnqueueRequest[]): Promise<Enqueued[]> {
    const alone = enqueuing === 0;
    enqueuing += 1;
    try {
      const answers = await enqueueSafely(pools.control, registry, requests, { wakes: alone, answerWithinMs });
      if (alone) background.wakeWorkers();
      else background.announceReady();
      return answers;
    } finally {
      enqueuing -= 1;
    }
  }

  return {
    async enqueue(request: EnqueueRequest): Promise<Enqueued> {
      const [answer] = await enqueueAndWake([request]);
      return answer as Enqueued;
    },
    enqueueMany: enqueueAndWake,

    /** In the caller's own transaction. Call `wake` after its commit to spare the runs one poll interval. */
    enqueueIn: (tx: Queryable, requests: readonly EnqueueRequest[]): Promise<Enqueued[]> =>
      enqueue(tx, registry, requests),
    wake: background.announceReady,
  };
}

function reading({ pools, registry }: Parts) {
  return {
    pipeline: (name: string): AnyPipeline => pipelineNamed(registry, name),
    run: (tenantId: string, runId: string): Promise<RunRow> => actions.readOwnRun(pools.control, tenantId, runId),
    findRun: (runId: string): Promise<RunRow | undefined> => findRun(pools.control, runId),
    listRuns: (filter: RunFilter, limit: number): Promise<RunRow[]> => listRuns(pools.control, filter, limit),
    why: (run: RunRow): Promise<WhyWaiting | null> =>
      whyWaiting(pools.control, run, registry.get(run.pipeline)?.overdueAfterMs !== undefined),
    /** Whether a run waits in the queue, perhaps in a lane that is paused or full: what has been at work for long may give way. */
    isAwaited: async (): Promise<boolean> => (await lookForWork(pools.control, [...registry.keys()], [])).ready,
    verify: (tenantId: string, runId: string): Promise<Verification> => verifyRun(pools, registry, tenantId, runId),
  };
}

/** Of pipelines whose runs are delivered by id (`overdueAfterMs`). */
function delivering({ pools, background }: Parts) {
  return {
    /** Gives a run to the worker of this process. `none`: it is not to be claimed now; look at the run. */
    deliver: (runId: string): Promise<Delivered> => background.deliver(runId),
    /** Whether the worker of this process holds the run. */
    isAtWork: (runId: string): boolean => background.isAtWork(runId),
    /** Throws unless the database answers. */
    ping: (): Promise<unknown> => engineTime(pools.control),
    /** How many more runs could begin in this process at once. */
    freeSlots: (): number => background.freeSlots,
    /** Fails a run that waits because it could not be delivered. False: it does not wait. */
    failUndelivered: (run: UndeliveredRun): Promise<boolean> =>
      failUndelivered(pools.control, run).finally(background.announceEvents),
    /** For a pipeline whose runs were delivered and are not any more: those that wait for it are claimed like any other; how many. */
    async releaseUndelivered(pipeline: string): Promise<number> {
      let count = 0;
      for (let after: string | null = null; ; ) {
        const { released, last } = await makeSomeClaimable(pools.control, pipeline, after, RELEASED_AT_ONCE);
        count += released;
        if (last === null) break;
        after = last;
      }
      if (count > 0) background.announceReady();
      return count;
    },
    /** Events are kept until every consumer has read them; one that is not there any more must not hold them. */
    forgetConsumer: (name: string): Promise<boolean> => forgetConsumer(pools.control, name),
  };
}

/** What people and programs do to runs. */
function acting({ pools, registry, background }: Parts) {
  const { announceReady, announceEvents, announceCancel } = background;
  const deps: actions.ActionDeps = { pool: pools.control, registry, announceReady, announceCancel };
  return {
    hold: (actor: actions.Actor, runId: string) => actions.hold(deps, actor, runId),
    resume: (actor: actions.Actor, runId: string) => actions.resume(deps, actor, runId),
    cancel: (actor: actions.Actor, runId: string) => actions.cancel(deps, actor, runId).finally(announceEvents),
    retry: (actor: actions.Actor, runId: string, retryOptions?: actions.RetryOptions) =>
      actions.retry(deps, actor, runId, retryOptions),
    answer: (actor: actions.Actor, questionId: string, choice: string) =>
      answerQuestion(deps, actor, questionId, choice).finally(announceEvents),
    requeue: (actor: actions.Actor, runId: string, correlationId: string) =>
      actions.requeueDeadLetter(deps, actor, runId, correlationId),
    acknowledge: (actor: actions.Actor, runId: string, reason: string) =>
      actions.acknowledge(deps, actor, runId, reason),
    previewBulk: (filter: RunFilter, action: actions.BulkAction) => actions.previewBulk(deps, filter, action),
    actOnMany: (actor: actions.Actor, filter: RunFilter, action: actions.BulkAction, expected: number) =>
      actions.actOnMany(deps, actor, filter, action, expected).finally(announceEvents),
  };
}

/** When work may begin: pauses and schedules. */
function planning({ pools, registry, background }: Parts) {
  return {
    /** Nothing of the pipeline (or of one lane of it) is claimed until `unpause`. What runs, finishes. */
    pause: (pipeline: string, by: string, lane = '') =>
      pauseLane(pools.control, pipelineNamed(registry, pipeline).name, lane, by),
    async unpause(pipeline: string, lane = ''): Promise<boolean> {
      const lifted = await unpauseLane(pools.control, pipelineNamed(registry, pipeline).name, lane);
      background.announceReady();
      return lifted;
    },

    async saveSchedule(request: ScheduleRequest) {
      const saved = await saveSchedule(pools.control, registry, request);
      background.announceReady();
      return saved;
    },
    listSchedules: (tenantId: string) => listSchedules(pools.control, tenantId),
    deleteSchedule: (tenantId: string, name: string) => deleteSchedule(pools.control, tenantId, name),
  };
}
