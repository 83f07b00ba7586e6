// What a pipeline is: a machine, a function per stage, and the policies the engine applies to its runs.
// `definePipeline` is the public way to write one; Millrace's own pipelines use nothing else.
import type { z } from 'zod';
import type { AnyErrorCode } from '../contract/errors/catalogue.ts';
import type { Machine } from '../contract/states/machine.ts';
import type { Queryable } from '../platform/database.ts';
import type { Question } from './question.ts';
import type { Receipt } from './receipt.ts';
import { defaultRetryPolicy, faultOfRule, type RetryPolicy } from './retry-policy.ts';
import type { EmittedEvent, StageContext } from './stage-context.ts';

/** How a stage ended: the machine's event (`pass`, `complete`, `part`, …) and, when the run is done with it, the receipt. */
export interface StageOutcome {
  readonly on: string;
  /** Events passed on the way, in the same transaction, when a rule of the machine must be seen to hold. */
  readonly via?: readonly string[];
  readonly receipt?: Receipt;
  readonly emit?: readonly EmittedEvent[];
  /** With `on: 'ask'`: the run waits for the answer and is worked again when it has it (`context.answers()`). */
  readonly ask?: Question;
  /** Why the run ends short of success; kept with the run and shown. */
  readonly error?: { readonly code: string; readonly text: string };
}

export interface Stage<Input> {
  readonly work: (context: StageContext<Input>) => Promise<StageOutcome | string>;
  /** Database role of this stage's effects. */
  readonly role?: string;
  /** Without progress, checkpoint or commit for this long, the attempt is given up as stalled. */
  readonly stallMs?: number;
}

/**
 * A stage that several workers share. Its run is worked in parts, each by the worker that claims it, with a lease, an attempt and checkpoints of its own;
 * a part that is lost goes back alone. A part may be begun again after it has ended (when all workers of the run were lost): it goes on from
 * its checkpoint.
 */
export interface SharedStage<Input> extends Omit<Stage<Input>, 'work'> {
  /** How many parts, at most 64. `context.part` says which one is to be worked. */
  readonly parts: number;
  readonly work: (context: StageContext<Input>) => Promise<unknown>;
  /** Called when all parts have ended well, under the lease of the last: how the run goes on. */
  readonly conclude: (context: StageContext<Input>) => Promise<StageOutcome | string>;
}

/** What the engine makes of either. */
export interface AnyStage<Input> extends Omit<Stage<Input>, 'work'> {
  readonly work: (context: StageContext<Input>) => Promise<unknown>;
  readonly parts?: number;
  readonly conclude?: (context: StageContext<Input>) => Promise<StageOutcome | string>;
}

export interface PipelineOptions<Input> {
  readonly machine: Machine;
  readonly input: z.ZodType<Input>;
  readonly stages: Readonly<Record<string, Stage<Input> | SharedStage<Input> | Stage<Input>['work']>>;
  readonly retry?: RetryPolicy;
  /** Runs of one lane take turns with runs of other lanes. By default a tenant is a lane. */
  readonly lane?: (run: { tenantId: string; input: Input }) => string;
  /** At most one live run per key: given to every run of the pipeline, also to retries, requeued dead letters and schedules. */
  readonly activeKey?: (run: { tenantId: string; input: Input }) => string;
  /** Asked in the firing transaction whether a due schedule may fire now, and when it is due next. Default: yes, by its cron. */
  readonly gate?: ScheduleGate;
  /** At most this many runs of one lane at a time, over all processes. Default: no cap. */
  readonly laneCap?: number;
  /** What happens when a worker is lost: try again (up to `lostLimit` times) or fail at once. */
  readonly onLost?: 'requeue' | 'fail';
  readonly lostLimit?: number;
  /** What is said of a run that lost its worker too often: an error of kind `lost` without parameters. Default: worker_lost */
  readonly lostCode?: AnyErrorCode;
  /** Its failed runs wait for a person as dead letters do, until somebody retries, supersedes or acknowledges them. Default: false */
  readonly failedAreDeadLetters?: boolean;
  /** Lifecycle events to emit beside the terminal ones: 'queued', 'started'. */
  readonly announce?: readonly ('queued' | 'started')[];
  /**
   * Its runs are delivered to workers by id (`engine.deliver`). A run that nobody was given for this long is overdue: any worker of the
   * pipeline may claim it. Default: runs are not delivered, workers claim them from the queue.
   */
  readonly overdueAfterMs?: number | undefined;
  readonly maxInputBytes?: number;
  /** Recounts a finished run from its blob and tables, for `millrace verify`. `tx` reads under the run's tenant, each statement by itself. */
  readonly recount?: (run: RunFacts<Input>, tx: Queryable) => Promise<Receipt>;
}

export interface DueMoment {
  readonly tenantId: string;
  readonly name: string;
  readonly input: unknown;
  readonly dueAt: Date;
  /** The engine's clock. */
  readonly now: Date;
}

export interface GateVerdict {
  readonly fire: boolean;
  /** Left out: the next moment of the cron expression. */
  readonly nextAt?: Date;
}

/** Runs as millrace_engine and leaves the transaction so. */
export type ScheduleGate = (tx: Queryable, due: DueMoment) => Promise<GateVerdict>;

/** What is known of a run outside a stage. */
export interface RunFacts<Input> {
  readonly id: string;
  readonly tenantId: string;
  readonly status: string;
  readonly input: Input;
  readonly blobId: string | null;
  readonly receipt: Receipt | null;
}

export interface Pipeline<Input = unknown> {
  readonly name: string;
  readonly machine: Machine;
  readonly input: z.ZodType<Input>;
  readonly stages: Readonly<Record<string, AnyStage<Input>>>;
  readonly retry: RetryPolicy;
  readonly lane: (run: { tenantId: string; input: Input }) => string;
  readonly activeKey: ((run: { tenantId: string; input: Input }) => string) | undefined;
  readonly gate: ScheduleGate | undefined;
  readonly laneCap: number | undefined;
  readonly onLost: 'requeue' | 'fail';
  readonly lostLimit: number | undefined;
  readonly lostCode: AnyErrorCode | undefined;
  readonly failedAreDeadLetters: boolean;
  readonly announce: readonly string[];
  readonly overdueAfterMs: number | undefined;
  readonly maxInputBytes: number;
  readonly recount: ((run: RunFacts<Input>, tx: Queryable) => Promise<Receipt>) | undefined;
}

const MAX_PARTS = 64;
const DEFAULT_MAX_INPUT_BYTES = 256 * 1024;

export function definePipeline<Input>(options: PipelineOptions<Input>): Pipeline<Input> {
  const { machine } = options;
  for (const [kind, rule] of Object.entries(options.retry ?? {})) {
    const fault = faultOfRule(rule);
    if (fault !== undefined) throw new Error(`pipeline ${machine.pipeline}: the retry rule for "${kind}" ${fault}`);
  }
  if (options.laneCap !== undefined && !(Number.isInteger(options.laneCap) && options.laneCap > 0))
    throw new Error(`pipeline ${machine.pipeline}: laneCap must be a whole number from 1`);
  const stages = Object.fromEntries(
    Object.entries(options.stages).map(([name, stage]) => [
      name,
      typeof stage === 'function' ? { work: stage } : stage,
    ]),
  );
  for (const [name, stage] of Object.entries<AnyStage<Input>>(stages)) {
    const fault = faultOfParts(stage);
    if (fault !== undefined) throw new Error(`pipeline ${machine.pipeline}: stage "${name}" ${fault}`);
  }
  for (const [status, state] of Object.entries(machine.states)) {
    if (state.stage !== undefined && !(state.stage in stages)) {
      throw new Error(
        `pipeline ${machine.pipeline}: state "${status}" needs stage "${state.stage}", which has no code`,
      );
    }
  }
  return {
    name: machine.pipeline,
    machine,
    input: options.input,
    stages,
    retry: { ...defaultRetryPolicy, ...options.retry },
    lane: options.lane ?? ((run) => run.tenantId),
    activeKey: options.activeKey,
    gate: options.gate,
    laneCap: options.laneCap,
    onLost: options.onLost ?? 'requeue',
    lostLimit: options.lostLimit,
    lostCode: options.lostCode,
    failedAreDeadLetters: options.failedAreDeadLetters ?? false,
    announce: options.announce ?? [],
    overdueAfterMs: options.overdueAfterMs,
    maxInputBytes: options.maxInputBytes ?? DEFAULT_MAX_INPUT_BYTES,
    recount: options.recount,
  };
}

function faultOfParts({ parts, conclude }: Pick<AnyStage<never>, 'parts' | 'conclude'>): string | undefined {
  if (parts === undefined) return undefined;
  if (!(Number.isInteger(parts) && parts >= 1 && parts <= MAX_PARTS)) return `needs 1 to ${MAX_PARTS} parts`;
  return typeof conclude === 'function' ? undefined : 'has parts and needs `conclude`';
}

// A registry holds pipelines of many input types; each is only ever handed inputs its own schema has parsed.
// biome-ignore lint/suspicious/noExplicitAny: the input type is existential here, and `unknown` is not assignable (contravariance).
export type AnyPipeline = Pipeline<any>;

/** The pipelines a process knows, by name. */
export type Registry = ReadonlyMap<string, AnyPipeline>;

export function registryOf(pipelines: readonly AnyPipeline[]): Registry {
  const registry = new Map<string, AnyPipeline>();
  for (const pipeline of pipelines) {
    if (registry.has(pipeline.name)) throw new Error(`pipeline "${pipeline.name}" is defined twice`);
    registry.set(pipeline.name, pipeline);
  }
  return registry;
}
