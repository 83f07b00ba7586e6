// The engine's timings and bounds. Every one is a setting, so that the chaos suites can run at small scale.

export interface EngineSettings {
  /** A worker silent for this long has lost its runs. */
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** How often an idle worker looks for work when no wake-up reaches it. */
  readonly pollMs: number;
  /** How many runs one worker works on at a time. */
  readonly concurrency: number;
  /** Runs claimed at once at the most. */
  readonly maxClaim: number;
  /** A run whose worker died this often is failed as `worker_lost`. */
  readonly lostLimit: number;
  /** How long a stopping worker waits for the stages under way. */
  readonly drainMs: number;
  /** Stages without a `stallMs` of their own are given up after this long without progress. */
  readonly stallMs: number;
  /** A question that nobody answers for this long ends its run as failed. */
  readonly questionHours: number;
}

export const defaultSettings: EngineSettings = {
  leaseMs: 60_000,
  heartbeatMs: 10_000,
  pollMs: 5_000,
  concurrency: 10,
  maxClaim: 2_000,
  lostLimit: 5,
  drainMs: 30_000,
  stallMs: 600_000,
  questionHours: 72,
};

/** From this many losses on, a run is worked on alone in its worker, so that it cannot take innocents down with it. */
export const SOLO_FROM_LOSSES = 3;
