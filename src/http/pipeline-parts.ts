// What a pipeline brings to the routes that belong to no pipeline: how it is called, what may be uploaded to it, its rows, its
// refused rows, what must hold before it is retried, its samples and its figures. The HTTP layer knows pipelines only by this.
import type pg from 'pg';
import type { AnswerOf } from '../contract/api/client.ts';
import type { OperationId } from '../contract/api/operations.ts';
import type { LaneRow } from '../engine/reads/read-queue.ts';
import type { ShownRun } from '../engine/reads/run-columns.ts';
import type { Queryable } from '../platform/database.ts';
import type { Intake } from '../sources/intake.ts';
import type { OwnRoute } from './own-route.ts';
import type { RunReadings } from './reading/reading-tools.ts';
import type { RejectTools } from './reject-tools/reject-tools.ts';

export interface PipelineParts {
  readonly title?: string;
  readonly intake?: Intake;
  /** Uploads that name no pipeline are for this one. */
  readonly isDefault?: boolean;
  readonly rejects?: RejectTools;
  readonly rows?: ListFileRows;
  /** How its files are read and mapped, where they are tables. */
  readonly readings?: RunReadings;
  readonly actions?: RunActions;
  readonly samples?: readonly Sample[];
  readonly figures?: PipelineFigures;
  /** How its runs came in, where that is always the same (/v1/ingestion-runs). */
  readonly channel?: string;
  /** Whose API its runs ask when their input names none. */
  readonly provider?: string;
  /** Routes of its own, under /v1/x/<name>. */
  readonly routes?: readonly OwnRoute[];
  /** May be started by POST /v1/runs with an input of the caller's. */
  readonly mayStart?: boolean;
  /** Its runs are private to the user who started them: other users of the tenant do not see them; admins and API keys do. */
  readonly isPrivate?: boolean;
  /** To /v1/ingestion-runs a retry is a new attempt of the same run. */
  readonly retriesAreAttempts?: boolean;
}

/** Where the parts of an app's pipelines are found. */
interface HasPipelines {
  readonly pipelines?: PipelinePartsByName;
}

export type PipelinePartsByName = Readonly<Record<string, PipelineParts>>;

export interface RunActions {
  /** The operation a caller must be allowed to call in order to retry, where that is not everybody who may retry. */
  readonly retryNeeds?: OperationId;
  /** Throws when a run may not be retried now. */
  beforeRetry?(tenantId: string, runId: string): Promise<void>;
  /** Gives a dead letter a successor and returns its id. */
  requeue?(
    tenantId: string,
    request: { readonly runId: string; readonly ticket: string; readonly by: string },
  ): Promise<string>;
  /** How what a run stored is taken back, where that is possible. */
  readonly undo?: UndoTools;
}

/** Undoing a run is a run of the same pipeline, with a receipt of its own. */
export interface UndoTools {
  /** Whether there is anything to undo in a run that is done: an undo itself is not undone. */
  mayUndo(run: ShownRun): boolean;
  /** How much would get which fate, in the words of the undo's receipt. Under the tenant's row-level security. */
  preview(db: Queryable, run: ShownRun): Promise<Readonly<Record<string, number>>>;
  /** The input of the run that does it. */
  inputOf(run: ShownRun): Readonly<Record<string, unknown>>;
}

export type FileRow = AnswerOf<'runs.rows'>['data'][number];

export interface WantedRows {
  readonly outcomes: readonly string[] | null;
  readonly afterRow: number;
  readonly limit: number;
}

/** The rows of a run's file under the caller's tenant; `kept` false: they were there and have been cleaned up. */
export type ListFileRows = (
  db: Queryable,
  run: ShownRun,
  wanted: WantedRows,
) => Promise<{ readonly rows: FileRow[]; readonly kept: boolean }>;

export interface Sample {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** The file itself. */
  readonly file: URL;
  /** What is uploaded with it. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface FiguresQuestion {
  readonly tenantId: string;
  /** Under the tenant's row-level security. */
  readonly db: Queryable;
  /** Runs as millrace_engine. */
  readonly control: Queryable;
  /** The lanes of this pipeline. */
  readonly lanes: readonly LaneRow[];
}

export interface PipelineFigures {
  /** Sections of its own in GET /api/metrics, under names of the specifications. */
  sections?(question: FiguresQuestion): Promise<Readonly<Record<string, unknown>>>;
  /** Sets its own gauges before GET /metrics answers. */
  refreshGauges?(control: pg.Pool): Promise<void>;
}

/** Whose API runs ask that name none, by pipeline. */
export function providersOf({ pipelines = {} }: HasPipelines): Record<string, string> {
  const named = Object.entries(pipelines).map(([name, { provider }]) => [name, provider]);
  return Object.fromEntries(named.filter(([, provider]) => provider !== undefined));
}

export function partsOf(app: HasPipelines, pipeline: string): PipelineParts {
  return app.pipelines?.[pipeline] ?? {};
}
