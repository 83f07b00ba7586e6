// The stages of a run for the chart: in the machine's order, with how long each waited and worked over all its attempts.
import type { AnswerOf } from '../../contract/api/client.ts';
import { entryOf, isErrorCode } from '../../contract/errors/catalogue.ts';
import type { ErrorKind } from '../../contract/errors/entry.ts';
import type { Machine } from '../../contract/states/machine.ts';
import type { AnyPipeline } from '../../engine/pipeline.ts';
import type { AttemptRow } from '../../engine/reads/read-attempts.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';

export type StageReport = AnswerOf<'runs.show'>['stages'][number];

/** Outcomes after which the same stage is tried again. */
const unfinished = new Set(['released', 'retried', 'lost']);

/** What of a pipeline says how often a stage may be tried. */
export type Tries = Pick<AnyPipeline, 'machine' | 'retry'> & { readonly lostLimit: number };

export function stageReports(
  pipeline: Tries | undefined,
  run: ShownRun,
  attempts: readonly AttemptRow[],
): StageReport[] {
  return stagesOf(pipeline?.machine, attempts).map((stage) => reportStage(stage, run, attempts, pipeline));
}

/** Stages in the order in which the machine's states name them. */
export function stagesOf(machine: Machine | undefined, attempts: readonly AttemptRow[] = []): string[] {
  const named = machine === undefined ? [] : Object.values(machine.states).map((state) => state.stage);
  const seen = attempts.map((attempt) => attempt.stage);
  return [...new Set([...named, ...seen])].filter((stage) => stage !== undefined);
}

function reportStage(
  stage: string,
  run: ShownRun,
  attempts: readonly AttemptRow[],
  pipeline: Tries | undefined,
): StageReport {
  const own = attempts.filter((attempt) => attempt.stage === stage);
  const first = own[0];
  const last = own.at(-1);
  const workMs = own.map((each) => each.ended_at && each.ended_at.getTime() - each.started_at.getTime());
  const waitMs = own.map((each) => each.started_at.getTime() - each.queued_at.getTime());
  const isWaiting = run.phase === 'waiting' && run.stage === stage;
  return {
    stage,
    state: isWaiting ? 'waiting' : stateOf(last, run, stage),
    queued_at: (first?.queued_at ?? (isWaiting ? run.updated_at : null))?.toISOString() ?? null,
    started_at: first?.started_at.toISOString() ?? null,
    finished_at: isWaiting ? null : (last?.ended_at?.toISOString() ?? null),
    queue_wait_ms: first === undefined ? null : sum(waitMs),
    work_ms: first === undefined ? null : sum(workMs.map((ms) => ms ?? 0)),
    attempts: countAttempts(own),
    attempts_allowed: run.stage === stage && pipeline !== undefined ? allowed(own, isWaiting, pipeline) : null,
  };
}

/** Those made, the one that is queued, and the retries left for the kind of failure it had last; before any, for a passing trouble. */
function allowed(own: readonly AttemptRow[], isWaiting: boolean, { retry, lostLimit }: Tries): number | null {
  const failures = own.flatMap((each) => failureOf(each) ?? []);
  const kind = failures.at(-1) ?? 'transient';
  const used = failures.filter((each) => each === kind).length;
  // The loss after the last one that is forgiven ends the run.
  const max = kind === 'lost' ? lostLimit - 1 : (retry[kind]?.max ?? 0);
  const all = countAttempts(own) + (isWaiting ? 1 : 0) + Math.max(0, max - used);
  return Number.isFinite(all) ? all : null;
}

/** Parts of one attempt are one. */
function countAttempts(own: readonly AttemptRow[]): number {
  return new Set(own.map(({ attempt }) => attempt)).size;
}

/** Undefined when it did not fail, or was given back and charged to nobody. */
function failureOf({ outcome, error_code: code }: AttemptRow): ErrorKind | undefined {
  if (outcome === 'lost') return 'lost';
  if (outcome !== 'retried' || code === null) return undefined;
  return isErrorCode(code) ? entryOf(code).kind : 'transient';
}

function stateOf(last: AttemptRow | undefined, run: ShownRun, stage: string): StageReport['state'] {
  if (last === undefined) return 'not_started';
  if (last.outcome === null) return 'active';
  const endedHere = run.stage === null && (run.phase === 'failed' || run.phase === 'dead');
  if (last.error_code !== null && endedHere) return 'failed';
  return unfinished.has(last.outcome) && run.stage === stage ? 'waiting' : 'done';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
