// The kit of a pipeline: everything the rest of the product may know of it, declared in one object. `all.ts` lists the kits that come with
// Millrace; modules that PIPELINE_MODULES names export kits of their own. Who opens an installation (roles/kits.ts) builds the
// parts in the order of this declaration; no other file names a pipeline.
import type { Command } from 'commander';
import type { z } from 'zod';
import type { CommandTools } from '../cli/connection.ts';
import type { DoctorCheck } from '../cli/doctor/finding.ts';
import type { IngestWay } from '../cli/ingest/ingest-way.ts';
import type { ErrorEntry } from '../contract/errors/entry.ts';
import type { ConsumerOptions } from '../engine/consumer.ts';
import type { Engine } from '../engine/engine.ts';
import type { AnyPipeline } from '../engine/pipeline.ts';
import type { Service } from '../engine/services/loop.ts';
import type { Staging } from '../engine/services/staging-cleaner.ts';
import type { Handlers } from '../http/call.ts';
import type { OwnRoute } from '../http/own-route.ts';
import type { ListFileRows, PipelineFigures, RunActions, Sample } from '../http/pipeline-parts.ts';
import type { RunReadings } from '../http/reading/reading-tools.ts';
import type { RejectTools } from '../http/reject-tools/reject-tools.ts';
import type { StatusOptions } from '../http/status-server.ts';
import type { UploadLimits } from '../http/uploads/upload-limits.ts';
import type { DefaultRule, FigureWords, PipelineAlerts, StaleAfter } from '../outbound/alerts/pipeline-alerts.ts';
import type { EventFields } from '../outbound/webhooks/payload.ts';
import type { BlobStore } from '../platform/blob/blob-store.ts';
import type { Config, SettingGroup } from '../platform/config.ts';
import type { Queryable } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { ConnectedSources } from '../sources/connected-sources.ts';
import type { Intake } from '../sources/intake.ts';

/** What there is before the engine. */
export interface KitBase<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly config: Config;
  /** Of the kit itself, read by its `settings`. */
  readonly settings: z.infer<z.ZodObject<Shape>>;
  readonly blobs: BlobStore;
  /** Seals what must not be read in the database. */
  readonly secrets: SecretBox;
  readonly log: Log;
}

/** The same with what the kit opened for itself. */
export interface KitOpened<Own, Shape extends z.ZodRawShape = z.ZodRawShape> extends KitBase<Shape> {
  readonly own: Own;
}

/** And with the engine that runs its pipeline. */
export interface KitHost<Own, Shape extends z.ZodRawShape = z.ZodRawShape> extends KitOpened<Own, Shape> {
  readonly engine: Engine;
  readonly uploadLimits: UploadLimits;
}

export type Consumer = Pick<ConsumerOptions, 'name' | 'apply'>;

export interface KitCommands {
  /** The heading under which `millrace --help` shows them. */
  readonly group: string;
  add(program: Command, tools: CommandTools): void;
}

/** What the process of a pipeline serves and hears beside its worker. */
export interface ProcessParts {
  /** Requests beside /health and /metrics. */
  readonly own: NonNullable<StatusOptions['own']>;
  /** Started when the worker is, stopped before it. */
  readonly services: readonly Service[];
}

/** A process that works on runs of this pipeline and on no others: `millrace COMMAND`. It knows no other kit and no secret of theirs. */
export interface KitProcess<Own = unknown, Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly command: string;
  readonly summary: string;
  readonly description: string;
  /** Database roles that it needs beside the engine's. */
  readonly databaseRoles: readonly string[];
  /** The database login that may become those roles only, if the operator named one. */
  login(settings: z.infer<z.ZodObject<Shape>>): string | undefined;
  /** Whether other workers leave runs of this pipeline to such processes. */
  isApart(settings: z.infer<z.ZodObject<Shape>>): boolean;
  /** How many runs at a time, and where it listens. */
  frame(settings: z.infer<z.ZodObject<Shape>>): {
    readonly concurrency: number;
    readonly host: string;
    readonly port: number;
  };
  open(host: KitHost<Own, Shape>): ProcessParts;
}

/** Figures of the pipeline, and how alerts speak of them. */
export interface KitFigures<Shape extends z.ZodRawShape = z.ZodRawShape> extends PipelineFigures, FigureWords {
  /** When its runs count as stale. Default: as soon as their worker has gone silent. */
  staleAfter?(base: KitBase<Shape>): StaleAfter;
}

export interface PipelineKit<Own = unknown, Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** Of the pipeline and its machine. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Environment variables of its own. */
  readonly settings?: SettingGroup<Shape>;
  /** Opens what its stages and handlers share, such as the client of an API. */
  open?(base: KitBase<Shape>): Promise<Own> | Own;
  pipeline(opened: KitOpened<Own, Shape>): AnyPipeline;

  /** Uploads that name no pipeline are for this one. */
  readonly isDefault?: boolean;
  /** How files become its runs. */
  intake?(host: KitHost<Own, Shape>): Intake;
  /** How runs of its files are shown row by row. */
  readonly rows?: ListFileRows;
  /** How its files are read and mapped, where they are tables: /v1/runs/:run_id/reading and …/mapping. */
  readings?(host: KitHost<Own, Shape>): RunReadings;
  /** How its refused rows are checked and run again. */
  rejects?(host: KitHost<Own, Shape>): RejectTools;
  /** What holds before its runs are retried, how its dead letters are requeued, and how its runs are undone. */
  actions?(host: KitHost<Own, Shape>): RunActions;
  /** Operations of the contract that are its own. */
  handlers?(host: KitHost<Own, Shape>): Handlers;
  /** Routes under /v1/x/<name>/, for pipelines that do not come with Millrace. */
  routes?(host: KitHost<Own, Shape>): readonly OwnRoute[];
  /** Error codes x.<name>.<word>, for pipelines that do not come with Millrace. */
  readonly errors?: Readonly<Record<string, ErrorEntry>>;
  /** POST /v1/runs and `millrace runs start` may start it with an input of the caller's. */
  readonly mayStart?: boolean;
  /** Its runs are private to the user who started them: other users of the tenant do not see them; admins and API keys do. */
  readonly isPrivate?: boolean;
  /** In the specification's face (/v1/ingestion-runs) a retry is a new attempt of the same run, under the id that was given first. */
  readonly retriesAreAttempts?: boolean;
  /** Its options of `millrace ingest`, and what that says of its runs. */
  readonly ingest?: IngestWay;
  readonly commands?: readonly KitCommands[];
  /** Called once when all kits of the installation are at work, before any run is: for a pipeline whose runs give files to others. */
  ready?(host: KitHost<Own, Shape>, intakes: ReadonlyMap<string, Intake>, connected?: ConnectedSources): void;
  /** Of the kit that connects sources: what other kits are handed by `ready`. */
  connectedSources?(host: KitHost<Own, Shape>): ConnectedSources;
  /** Readers of the outbox. */
  consumers?(host: KitHost<Own, Shape>): readonly Consumer[];
  /** Loops that run beside the engine's own, in every worker and scheduler. */
  services?(host: KitHost<Own, Shape>): readonly Service[];
  /** Rows that are cleaned up some days after their run has ended. */
  readonly staging?: Staging;

  /** Folder of its migrations (NNNN_what.sql), for pipelines that do not come with Millrace; those that do have theirs in db/migrations. */
  readonly migrations?: URL;
  /** Runs at every start after the migrations, as the user who migrates; for pipelines that do not come with Millrace. */
  prepare?(admin: Queryable): Promise<void>;
  /** Database roles of its stages and services: made where they are missing, and the login may become them. */
  readonly databaseRoles?: readonly string[];
  readonly samples?: readonly Sample[];
  readonly figures?: KitFigures<Shape>;
  /** Event types of its own, each with the fields of its data that webhooks may tell. Numbers, flags, ids and single words only. */
  readonly events?: EventFields;
  /** Its facts that open alerts, and the rules it brings. */
  readonly alerts?: PipelineAlerts;
  /** Further rules, with thresholds that follow its settings. */
  alertRules?(base: KitBase<Shape>): readonly DefaultRule[];
  /** How its runs came in, where that is always the same (/v1/ingestion-runs). */
  readonly channel?: string;
  /** Whose API its runs ask when their input names none. */
  readonly provider?: string;
  readonly process?: KitProcess<Own, Shape>;
  /** Questions of `millrace doctor`. */
  readonly doctor?: readonly DoctorCheck[];
}

/** Gives a kit its types. */
export function defineKit<Own, Shape extends z.ZodRawShape = z.ZodRawShape>(
  kit: PipelineKit<Own, Shape>,
): PipelineKit<Own, Shape> {
  return kit;
}
