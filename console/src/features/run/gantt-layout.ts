// Where the bars of the stage chart stand. Each attempt is a sub-row of its stage: a lead-in for the time it queued, then its work.
import type { RunDetail } from '../../app/api.ts';

type Stage = RunDetail['stages'][number];
type Attempt = RunDetail['attempts'][number];

/** From and to as shares of the chart's width, 0 to 1. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface GanttBar {
  /** Among all attempts of the run; 0 for one that has not begun. */
  readonly attempt: number;
  /** Among those of its stage, as people are told. */
  readonly number: number;
  readonly wait: Span | undefined;
  readonly work: Span | undefined;
  /** Still running (or still waiting when there is no work yet). */
  readonly open: boolean;
  readonly waitMs: number;
  readonly workMs: number;
  readonly outcome: string | null;
  readonly worker: string | null;
  readonly error: string | undefined;
  /** Moments at which its worker told how far it was, as shares of the chart's width. */
  readonly beats: readonly number[];
}

export interface GanttRow {
  readonly stage: string;
  readonly state: Stage['state'];
  readonly bars: readonly GanttBar[];
}

export interface Gantt {
  readonly rows: readonly GanttRow[];
  readonly startMs: number;
  readonly endMs: number;
  readonly ticks: readonly { readonly at: number; readonly ms: number }[];
}

const maxBeats = 40;
const tickSteps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5, 432e5,
  864e5,
];

export function layoutGantt(
  run: Pick<RunDetail, 'stages' | 'attempts' | 'samples' | 'created_at' | 'finished_at'>,
  nowMs: number,
): Gantt {
  const live = run.finished_at === null;
  const moments = run.attempts
    .flatMap((each) => [each.queued_at, each.started_at, each.finished_at])
    .filter((at) => at !== null);
  const known = [run.created_at, ...moments, ...(run.finished_at ? [run.finished_at] : [])].map((at) => Date.parse(at));
  const startMs = Math.min(...known);
  const endMs = Math.max(startMs + 1, ...known, ...(live ? [nowMs] : []));
  const share = (ms: number) => Math.min(1, Math.max(0, (ms - startMs) / (endMs - startMs)));
  const rows = run.stages.map((stage) => ({
    stage: stage.stage,
    state: stage.state,
    bars: barsOf(
      stage,
      run.attempts.filter((each) => each.stage === stage.stage),
      run.samples,
      endMs,
      share,
    ),
  }));
  return { rows, startMs, endMs, ticks: ticksOf(endMs - startMs) };
}

function barsOf(
  stage: Stage,
  attempts: readonly Attempt[],
  samples: RunDetail['samples'],
  endMs: number,
  share: (ms: number) => number,
): GanttBar[] {
  const bars: GanttBar[] = attempts.map((attempt) => {
    const started = Date.parse(attempt.started_at);
    const ended = attempt.finished_at === null ? endMs : Date.parse(attempt.finished_at);
    const queued = attempt.queued_at === null ? started - (attempt.queue_wait_ms ?? 0) : Date.parse(attempt.queued_at);
    return {
      attempt: attempt.attempt,
      number: attempt.number,
      wait: queued < started ? { from: share(queued), to: share(started) } : undefined,
      work: { from: share(started), to: share(ended) },
      open: attempt.finished_at === null,
      waitMs: Math.max(0, started - queued),
      workMs: ended - started,
      outcome: attempt.outcome,
      worker: attempt.worker,
      error: attempt.error?.message,
      beats: beatsOf(samples, attempt.attempt).map(share),
    };
  });
  if (stage.state === 'waiting' && stage.queued_at !== null)
    bars.push(waitingBar(stage.queued_at, endMs, share, bars.length));
  return bars;
}

/** Some of the moments when there are many: they show that the worker lived, not how often it spoke. */
function beatsOf(samples: RunDetail['samples'], attempt: number): number[] {
  const all = samples.filter((sample) => sample.attempt === attempt).map((sample) => Date.parse(sample.at));
  const step = Math.ceil(all.length / maxBeats);
  return all.filter((_, index) => index % step === 0 || index === all.length - 1);
}

function waitingBar(queuedAt: string, endMs: number, share: (ms: number) => number, before: number): GanttBar {
  const queued = Date.parse(queuedAt);
  return {
    attempt: 0,
    number: before + 1,
    wait: { from: share(queued), to: 1 },
    work: undefined,
    open: true,
    waitMs: endMs - queued,
    workMs: 0,
    outcome: null,
    worker: null,
    error: undefined,
    beats: [],
  };
}

/** Four to eight round steps across the chart. */
function ticksOf(spanMs: number): { at: number; ms: number }[] {
  const step = tickSteps.find((each) => spanMs / each <= 7) ?? 864e5 * Math.ceil(spanMs / 864e5 / 7);
  const ticks: { at: number; ms: number }[] = [];
  for (let ms = 0; ms <= spanMs; ms += step) ticks.push({ at: ms / spanMs, ms });
  return ticks;
}
