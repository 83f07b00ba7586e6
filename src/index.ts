// The public library: declare a machine and its stages, open Millrace, submit work.
export { makerOf, type Principal } from './access/principal.ts';
export { allow, anyone, signedIn } from './contract/api/roles.ts';
export { empty, json } from './contract/api/route.ts';
export type { ErrorCode } from './contract/errors/catalogue.ts';
export type { ErrorEntry, ErrorKind } from './contract/errors/entry.ts';
export { MillraceError } from './contract/errors/millrace-error.ts';
export { type Machine, machine, type Phase, type State } from './contract/states/machine.ts';
export { AdaptiveSize } from './engine/adaptive.ts';
export { readFileOf } from './engine/blobs/read-file.ts';
export type { Enqueued, EnqueueRequest } from './engine/enqueue.ts';
export {
  definePipeline,
  type Pipeline,
  type PipelineOptions,
  type RunFacts,
  type SharedStage,
  type Stage,
  type StageOutcome,
} from './engine/pipeline.ts';
export type { RunFilter } from './engine/reads/list-runs.ts';
export type { RunEventRow } from './engine/reads/read-events.ts';
export type { RunRow } from './engine/reads/run-columns.ts';
export type { Receipt } from './engine/receipt.ts';
export { type ReplayPlan, type ReplayRequest, startReplay } from './engine/replay.ts';
export type { Backoff, RetryPolicy, RetryRule } from './engine/retry-policy.ts';
export type { ScheduleRequest } from './engine/schedules.ts';
export type { EngineSettings } from './engine/settings.ts';
export type { FeedRow } from './engine/sql/event-feed.ts';
export type { RejectRecord } from './engine/sql/insert-rejects.ts';
export type { CommitOptions, EmittedEvent, Progress, StageContext, StageRun } from './engine/stage-context.ts';
export type { Verification } from './engine/verify.ts';
export type { WhyWaiting } from './engine/why.ts';
export { defineRoute, type OwnCall, type OwnRoute } from './http/own-route.ts';
export { replayRequest } from './http/reject-tools/reject-tools.ts';
export { kits } from './pipelines/all.ts';
export { defineKit, type KitHost, type PipelineKit } from './pipelines/kit.ts';
export * from './pipelines/programs.ts';
export * as setting from './platform/config/setting.ts';
export type { Queryable } from './platform/database.ts';
export type { Log } from './platform/log.ts';
export {
  createMillrace,
  type Millrace,
  type MillraceOptions,
  type TransactionSession,
} from './roles/create-millrace.ts';
export type { By, NamedAttempt as AttemptRow, RunService } from './roles/run-service.ts';
export { defineIntake, type Intake, type IntakeRequest } from './sources/intake.ts';
export { sniffTableFile } from './tabular/content/table-file.ts';
