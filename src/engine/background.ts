// What an engine does besides answering its callers: it receives wake-ups, passes them to its workers and services, and starts and stops both.
// All wake-ups for this process and for others go through this file.
import type { Log } from '../platform/log.ts';
import { type ConsumerOptions, createConsumer } from './consumer.ts';
import type { EnginePools } from './engine-pools.ts';
import { onEventsWritten } from './events-written.ts';
import type { Registry } from './pipeline.ts';
import { createDueMover } from './services/due-mover.ts';
import { createElection } from './services/election.ts';
import type { Service } from './services/loop.ts';
import { createNotifier } from './services/notifier.ts';
import { createOutboxPump } from './services/outbox-pump.ts';
import { createPruner, type Retention } from './services/pruner.ts';
import { createQuestionTimer } from './services/question-timer.ts';
import { createRescuer } from './services/rescuer.ts';
import { createScheduler } from './services/scheduler.ts';
import type { EngineSettings } from './settings.ts';
import type { Delivered } from './sql/delivered-runs.ts';
import type { Vitals } from './vitals.ts';
import { Worker } from './worker.ts';

export interface BackgroundOptions {
  readonly pools: EnginePools;
  readonly registry: Registry;
  readonly settings: EngineSettings;
  readonly retention: Retention;
  readonly log: Log;
  readonly version: string;
  readonly vitals: Vitals;
}

export interface EngineRoles {
  /** Work on runs. */
  readonly worker?: boolean;
  /** Pipelines whose runs the worker leaves to other processes. */
  readonly leaves?: readonly string[];
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

export class Background {
  readonly #options: BackgroundOptions;
  readonly #idleMs: number;
  readonly #notifier: ReturnType<typeof createNotifier>;
  readonly #pump: ReturnType<typeof createOutboxPump>;
  readonly #eventListeners = new Set<() => void>();
  readonly #consumers: Service[] = [];
  #workers: Worker[] = [];
  #services: Service[] = [];
  /** Those of the services whose work others may have made. */
  #lookers: Service[] = [];
  #looking: NodeJS.Timeout | undefined;
  #stopHearing: (() => void) | undefined;
  readonly election: ReturnType<typeof createElection>;

  constructor(options: BackgroundOptions) {
    this.#options = options;
    const { pools, settings, log } = options;
    const pool = pools.control;
    this.#idleMs = settings.pollMs * IDLE_POLLS;
    this.#notifier = createNotifier({
      pool,
      connect: pools.connect,
      log,
      onReady: (lane) => {
        this.wakeWorkers(lane);
        this.#lookSoon();
      },
      onCancel: (runId, by) => {
        for (const worker of this.#workers) worker.cancel(runId, by);
      },
      onEvents: () => {
        for (const listener of this.#eventListeners) listener();
        for (const consumer of this.#consumers) consumer.wake();
      },
    });
    this.election = createElection({
      pool,
      log,
      name: () => this.#workToElectFor(),
      ttlMs: Math.max(ELECTION_MS.least, Math.min(settings.leaseMs / 4, ELECTION_MS.most)),
    });
    this.#pump = createOutboxPump({
      pool,
      log,
      everyMs: PUMP_MS,
      idleMs: this.#idleMs,
      election: this.election,
      onPositioned: () => this.#notifier.announce('events'),
    });
  }

  /**
   * Processes that know other pipelines or have other consumers elect one of their own: schedules of a pipeline and events for a consumer
   * would otherwise wait for as long as a process is elected that does not know them, such as an older version.
   */
  #workToElectFor(): string {
    const pipelines = [...this.#options.registry.keys()].sort();
    return ['services', ...pipelines, ...this.#consumers.map((consumer) => consumer.name).sort()].join(' ');
  }

  wakeWorkers(lane?: string): void {
    for (const worker of this.#workers) worker.wake(lane);
  }

  /** There is new work, said here at once and to the other processes. */
  readonly announceReady = (): void => {
    this.wakeWorkers();
    this.#notifier.announce('ready');
  };

  /** Events were written in this process: its own pump gives them their positions, or that of the elected process. */
  readonly announceEvents = (): void => {
    if (this.#services.length > 0) this.#pump.wake();
    else this.#notifier.announce('ready');
  };

  readonly announceCancel = (runId: string, by: string): Promise<void> => this.#notifier.announceCancel(runId, by);

  /** A process that enqueued elsewhere may also have written events, or planned runs for later. */
  #lookSoon(): void {
    if (this.#services.length === 0 || !this.election.isElected()) return;
    this.#looking ??= setTimeout(() => {
      this.#looking = undefined;
      for (const service of this.#lookers) service.wake();
    }, LOOK_AFTER_MS);
  }

  /** Called whenever new events may be there to read. Returns how to stop listening. */
  onEvents(listener: () => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  /** Adds a consumer of the outbox; runs where services run. */
  consume(consumer: Pick<ConsumerOptions, 'name' | 'apply'>): void {
    const { pools, log, settings } = this.#options;
    const timing = { everyMs: settings.pollMs, idleMs: this.#idleMs };
    this.#consumers.push(createConsumer({ ...consumer, pool: pools.effects, log, ...timing, election: this.election }));
  }

  /** Gives a run to the worker of this process. */
  async deliver(runId: string): Promise<Delivered> {
    return (await this.#workers[0]?.deliver(runId)) ?? 'busy';
  }

  isAtWork(runId: string): boolean {
    return this.#workers[0]?.holds(runId) ?? false;
  }

  get freeSlots(): number {
    return this.#workers[0]?.freeSlots ?? 0;
  }

  async start(roles: EngineRoles = { worker: true, services: true }): Promise<void> {
    this.#stopHearing ??= onEventsWritten(this.announceEvents);
    this.#notifier.start({ work: roles.worker === true || roles.services === true });
    if (roles.services) this.#startServices();
    if (roles.worker) await this.#startWorker(roles.leaves ?? []);
  }

  #startServices(): void {
    const { pools, log, settings, registry, retention, vitals } = this.#options;
    const shared = { pool: pools.control, log, election: this.election };
    const idleMs = this.#idleMs;
    const onWork = this.announceReady;
    this.#lookers = [
      this.#pump,
      createDueMover({ ...shared, everyMs: Math.min(settings.pollMs, SCHEDULER_MS), idleMs, onMoved: onWork }),
      createScheduler({ ...shared, registry, everyMs: SCHEDULER_MS, idleMs, onFired: onWork }),
    ];
    this.#services = [
      ...this.#lookers,
      createRescuer({
        ...shared,
        everyMs: Math.max(250, Math.min(settings.leaseMs / 6, 10_000)),
        onRescued: (runs) => {
          vitals.takenOver(runs);
          onWork();
        },
      }),
      createQuestionTimer({ ...shared, everyMs: Math.min(settings.pollMs * QUESTION_POLLS, QUESTION_MS) }),
      createPruner({ ...shared, retention }),
      ...this.#consumers,
    ];
    for (const service of this.#services) service.start();
    this.election.start();
  }

  async #startWorker(leaves: readonly string[]): Promise<void> {
    const { pools, registry, settings, log, version, vitals } = this.#options;
    const worker = new Worker({
      pools,
      registry: new Map([...registry].filter(([name]) => !leaves.includes(name))),
      settings,
      log,
      version,
      vitals,
      onActivity: (queued) => {
        this.#pump.wake();
        if (queued === 'now') this.announceReady();
        if (queued === 'later') for (const service of this.#lookers) service.wake();
      },
      onGivenBack: this.announceReady,
    });
    await worker.start();
    this.#workers = [worker];
  }

  /** Drains the worker, then stops the services. */
  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    this.#workers = [];
    await Promise.all(this.#services.map((service) => service.stop()));
    this.#services = [];
    clearTimeout(this.#looking);
    this.#stopHearing?.();
    this.#stopHearing = undefined;
    await this.election.stop();
    await this.#notifier.stop();
  }
}
