// The engine as the rest of the product sees it: accept work, act on it, read it, and run it in this process.
// It knows no pipeline; those are passed in.
import type { Queryable } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import * as actions from './actions.ts';
import { type ConsumerOptions, createConsumer } from './consumer.ts';
import { answerLimitMs, ENQUEUE_LIMIT_MS, type EnginePools } from './engine-pools.ts';
import { type Enqueued, type EnqueueRequest, enqueue, enqueueSafely, pipelineNamed } from './enqueue.ts';
import { onEventsWritten } from './events-written.ts';
import { registerMachines } from './machines.ts';
import { type AnyPipeline, type Registry, registryOf } from './pipeline.ts';
import { answerQuestion } from './questions.ts';
import { type RateLimit, takeOrThrow, tryTake } from './rate-limits.ts';
import type { RunFilter } from './reads/list-runs.ts';
import { listRuns } from './reads/list-runs.ts';
import { findRun } from './reads/read-run.ts';
import type { RunRow } from './reads/run-columns.ts';
import { type ScheduleRequest, saveSchedule } from './schedules.ts';
import { createDueMover } from './services/due-mover.ts';
import { createElection, type Elected } from './services/election.ts';
import type { Service } from './services/loop.ts';
import { createNotifier } from './services/notifier.ts';
import { createOutboxPump } from './services/outbox-pump.ts';
import { createPruner, defaultRetention, type Retention } from './services/pruner.ts';
import { createQuestionTimer } from './services/question-timer.ts';
import { createRescuer } from './services/rescuer.ts';
import { createScheduler } from './services/scheduler.ts';
import { defaultSettings, type EngineSettings } from './settings.ts';
import { pauseLane, unpauseLane } from './sql/act-on-runs.ts';
import { insertEvents, type OutboxRow } from './sql/insert-events.ts';
import { deleteSchedule, listSchedules } from './sql/schedules.ts';
import { type Verification, verifyRun } from './verify.ts';
import { Vitals } from './vitals.ts';
import { type WhyWaiting, whyWaiting } from './why.ts';
import { Worker } from './worker.ts';

export interface EngineOptions {
  readonly pools: EnginePools;
  readonly pipelines: readonly AnyPipeline[];
  readonly settings?: Partial<EngineSettings>;
  readonly retention?: Partial<Retention>;
  readonly log: Log;
  readonly version: string;
}

export interface EngineRoles {
  /** Work on runs. */
  readonly worker?: boolean;
  /** Rescue, plan, pump, prune. */
  readonly services?: boolean;
}

const PUMP_MS = 250;
const SCHEDULER_MS = 1_000;
/** Services look this many poll intervals apart when they find nothing: wake-ups bring the news. */
const IDLE_POLLS = 4;
/** Questions have days; a minute more or less does not count. */
const QUESTION_MS = 60_000;
const QUESTION_POLLS = 12;
/** After a wake-up from elsewhere the work itself comes first. */
const LOOK_AFTER_MS = 50;
const ELECTION_MS = { least: 500, most: 10_000 };

export type Engine = ReturnType<typeof createEngine>;

export function createEngine(options: EngineOptions) {
  const { pools, log } = options;
  const settings: EngineSettings = { ...defaultSettings, ...options.settings };
  const registry: Registry = registryOf(options.pipelines);
  const vitals = new Vitals();
  const eventListeners = new Set<() => void>();
  const consumers: Service[] = [];
  let workers: Worker[] = [];
  let services: Service[] = [];
  /** Those of the services whose work others may have made. */
  let lookers: Service[] = [];
  let looking: NodeJS.Timeout | undefined;
  let stopHearing: (() => void) | undefined;

  const notifier = createNotifier({
    pool: pools.control,
    connect: pools.connect,
    log,
    onReady: (lane) => {
      wakeWorkers(lane);
      lookSoon();
    },
    onCancel: (runId, by) => {
      for (const worker of workers) worker.cancel(runId, by);
    },
    onEvents: () => {
      for (const listener of eventListeners) listener();
      for (const consumer of consumers) consumer.wake();
    },
  });

  /**
   * Processes that know other pipelines or have other consumers elect one of their own: schedules of a pipeline and events for a consumer
   * would otherwise wait for as long as a process is elected that does not know them, such as an older version.
   */
  function workToElectFor(): string {
    return ['services', ...[...registry.keys()].sort(), ...consumers.map((consumer) => consumer.name).sort()].join(' ');
  }

  const idleMs = settings.pollMs * IDLE_POLLS;
  const election = createElection({
    pool: pools.control,
    log,
    name: workToElectFor,
    ttlMs: Math.max(ELECTION_MS.least, Math.min(settings.leaseMs / 4, ELECTION_MS.most)),
  });
  const pump = createOutboxPump({
    pool: pools.control,
    log,
    everyMs: PUMP_MS,
    idleMs,
    election,
    onPositioned: () => notifier.announce('events'),
  });

  function wakeWorkers(lane?: string): void {
    for (const worker of workers) worker.wake(lane);
  }

  /** There is new work, said here at once and to the other processes. */
  function announceReady(): void {
    wakeWorkers();
    notifier.announce('ready');
  }

  /** Whoever enqueued elsewhere may also have written events, or planned runs for later. */
  function lookSoon(): void {
    if (services.length === 0 || !election.isElected()) return;
    looking ??= setTimeout(() => {
      looking = undefined;
      for (const service of lookers) service.wake();
    }, LOOK_AFTER_MS);
  }

  /** Events were written in this process: its own pump gives them their positions, or that of the elected process. */
  function announceEvents(): void {
    if (services.length > 0) pump.wake();
    else notifier.announce('ready');
  }

  let enqueuing = 0;
  const answerWithinMs = Math.min(ENQUEUE_LIMIT_MS, answerLimitMs(settings.leaseMs));

  /** Who enqueues alone wakes the workers with the commit, a round trip earlier; a crowd shares wake-ups of their own. */
  async function enqueueAndWake(requests: readonly EnqueueRequest[]): Promise<Enqueued[]> {
    const alone = enqueuing === 0;
    enqueuing += 1;
    try {
      const answers = await enqueueSafely(pools.control, registry, requests, { wakes: alone, answerWithinMs });
      if (alone) wakeWorkers();
      else announceReady();
      return answers;
    } finally {
      enqueuing -= 1;
    }
  }

  function startServices(): void {
    const shared = { pool: pools.control, log, election };
    const rescueMs = Math.max(250, Math.min(settings.leaseMs / 6, 10_000));
    const dueMs = Math.min(settings.pollMs, SCHEDULER_MS);
    lookers = [
      pump,
      createDueMover({ ...shared, everyMs: dueMs, idleMs, onMoved: announceReady }),
      createScheduler({ ...shared, registry, everyMs: SCHEDULER_MS, idleMs, onFired: announceReady }),
    ];
    services = [
      ...lookers,
      createRescuer({
        ...shared,
        everyMs: rescueMs,
        onRescued: (runs) => {
          vitals.takenOver(runs);
          announceReady();
        },
      }),
      createQuestionTimer({ ...shared, everyMs: Math.min(settings.pollMs * QUESTION_POLLS, QUESTION_MS) }),
      createPruner({ ...shared, retention: { ...defaultRetention, ...options.retention } }),
      ...consumers,
    ];
    for (const service of services) service.start();
    election.start();
  }

  const deps: actions.ActionDeps = {
    pool: pools.control,
    registry,
    announceReady,
    announceCancel: (runId, by) => notifier.announceCancel(runId, by),
  };

  return {
    registry,
    settings,
    pools,
    vitals,
    /** Which process does the background work, for services beside the engine's own. */
    election: election as Elected,

    /** Writes the machines of this process into the database. Once, before anything else. */
    register: () => registerMachines(pools.control, registry, settings),

    async enqueue(request: EnqueueRequest): Promise<Enqueued> {
      const [answer] = await enqueueAndWake([request]);
      return answer as Enqueued;
    },
    enqueueMany: enqueueAndWake,

    /** In the caller's own transaction. Call `wake` after its commit to spare the runs one poll interval. */
    enqueueIn: (tx: Queryable, requests: readonly EnqueueRequest[]): Promise<Enqueued[]> =>
      enqueue(tx, registry, requests),
    wake: announceReady,

    pipeline: (name: string): AnyPipeline => pipelineNamed(registry, name),
    run: (tenantId: string, runId: string): Promise<RunRow> => actions.readOwnRun(pools.control, tenantId, runId),
    findRun: (runId: string): Promise<RunRow | undefined> => findRun(pools.control, runId),
    listRuns: (filter: RunFilter, limit: number): Promise<RunRow[]> => listRuns(pools.control, filter, limit),
    why: (run: RunRow): Promise<WhyWaiting | null> => whyWaiting(pools.control, run),
    verify: (tenantId: string, runId: string): Promise<Verification> => verifyRun(pools, registry, tenantId, runId),

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

    /** Nothing of the pipeline (or of one lane of it) is claimed until `unpause`. What runs, finishes. */
    pause: (pipeline: string, by: string, lane = '') =>
      pauseLane(pools.control, pipelineNamed(registry, pipeline).name, lane, by),
    async unpause(pipeline: string, lane = ''): Promise<boolean> {
      const lifted = await unpauseLane(pools.control, pipelineNamed(registry, pipeline).name, lane);
      announceReady();
      return lifted;
    },

    async saveSchedule(request: ScheduleRequest) {
      const saved = await saveSchedule(pools.control, registry, request);
      announceReady();
      return saved;
    },
    listSchedules: (tenantId: string) => listSchedules(pools.control, tenantId),
    deleteSchedule: (tenantId: string, name: string) => deleteSchedule(pools.control, tenantId, name),

    tryTake: (limit: RateLimit, tokens?: number) => tryTake(pools.control, limit, tokens),
    takeOrThrow: (limit: RateLimit, tokens?: number) => takeOrThrow(pools.control, limit, tokens),

    /** Events that belong to no run's end, in the caller's transaction or on their own. */
    async emit(events: readonly OutboxRow[], tx: Queryable = pools.control): Promise<void> {
      await insertEvents(tx, events);
    },
    /** Called whenever new events may be there to read. Returns how to stop listening. */
    onEvents(listener: () => void): () => void {
      eventListeners.add(listener);
      return () => eventListeners.delete(listener);
    },
    /** Adds a consumer of the outbox; runs where services run. */
    consume(consumer: Pick<ConsumerOptions, 'name' | 'apply'>): void {
      consumers.push(
        createConsumer({ ...consumer, pool: pools.effects, log, everyMs: settings.pollMs, idleMs, election }),
      );
    },

    /** Works one run in this process for at most `maxMs`, then releases it. */
    async workRun(runId: string, maxMs: number): Promise<boolean> {
      const worker = workers[0];
      if (!worker) throw new Error('workRun needs a started worker');
      return worker.workOne(runId, maxMs);
    },

    async start(roles: EngineRoles = { worker: true, services: true }): Promise<void> {
      stopHearing ??= onEventsWritten(announceEvents);
      notifier.start({ work: roles.worker === true || roles.services === true });
      if (roles.services) startServices();
      if (roles.worker) {
        const worker = new Worker({
          pools,
          registry,
          settings,
          log,
          version: options.version,
          vitals,
          onActivity: (queued) => {
            pump.wake();
            if (queued === 'now') announceReady();
            if (queued === 'later') for (const service of lookers) service.wake();
          },
          onGivenBack: announceReady,
        });
        await worker.start();
        workers = [worker];
      }
    },

    /** Drains the worker, then stops the services. */
    async stop(): Promise<void> {
      await Promise.all(workers.map((worker) => worker.stop()));
      workers = [];
      await Promise.all(services.map((service) => service.stop()));
      services = [];
      clearTimeout(looking);
      stopHearing?.();
      stopHearing = undefined;
      await election.stop();
      await notifier.stop();
    },
  };
}
