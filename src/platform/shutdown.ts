// Stopping in order. What was started last is stopped first: the server stops listening, work drains to its next checkpoint,
// pools close, the database goes last. The first SIGTERM or SIGINT drains within a deadline; the second ends the process at
// once, which loses nothing that was acknowledged. A step that fails or hangs never keeps the others from their turn.
import { exitCodeFor } from './config.ts';
import type { Log } from './log.ts';

export interface ShutdownOptions {
  /** For all steps together. Steps whose turn comes later still get `lastChanceMs` each. */
  readonly graceMs: number;
  readonly log: Log;
  readonly lastChanceMs?: number;
  /** Instead of process.exit, for tests. */
  readonly exit?: (code: number) => void;
}

/** Stops one thing. `hurry` aborts when the grace is over: from then on, cut off instead of waiting. */
export type StopStep = (hurry: AbortSignal) => Promise<void> | void;

export interface Shutdown {
  /** Aborts as soon as stopping begins; what should end by itself listens to it. */
  readonly stopping: AbortSignal;
  /** Adds a step; steps run in the reverse of the order in which they were added. */
  add(name: string, step: StopStep): void;
  /** Listens to SIGTERM, SIGINT and to errors that nobody caught. */
  listen(): void;
  /** Runs the steps once and ends the process; later calls wait for the same end. */
  stop(reason: string, exitCode?: number): Promise<void>;
  /** Stops because of an error, with the exit code that belongs to it. */
  fail(error: unknown): Promise<void>;
}

const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const;

export function createShutdown(options: ShutdownOptions): Shutdown {
  const { log, graceMs, lastChanceMs = 2_000, exit = (code: number) => process.exit(code) } = options;
  const steps: { name: string; step: StopStep }[] = [];
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  async function run(reason: string, exitCode: number): Promise<void> {
    log.info({ reason }, 'stopping');
    stopping.abort();
    const hurry = new AbortController();
    const deadline = Date.now() + graceMs;
    const timer = setTimeout(() => hurry.abort(), graceMs);
    let clean = true;
    for (const { name, step } of steps.toReversed()) {
      const waitMs = Math.max(deadline - Date.now(), 0) + lastChanceMs;
      clean = (await runStep(name, step, hurry.signal, waitMs, log)) && clean;
    }
    clearTimeout(timer);
    const code = exitCode === 0 && !clean ? 1 : exitCode;
    log.info({ exitCode: code }, 'stopped');
    exit(code);
  }

  function stop(reason: string, exitCode = 0): Promise<void> {
    running ??= run(reason, exitCode);
    return running;
  }

  function fail(error: unknown): Promise<void> {
    log.error({ err: error }, 'stopping because of an error');
    return stop('error', exitCodeFor(error));
  }

  function listen(): void {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (running === undefined) void stop(signal);
        else {
          log.warn({ signal }, 'second signal: stopping at once');
          exit(128 + signalNumbers[signal]);
        }
      });
    }
    // After an error that nobody caught, no state can be trusted: stop, let another process take over.
    process.on('uncaughtException', (error) => void fail(error));
    process.on('unhandledRejection', (error) => void fail(error));
  }

  return { stopping: stopping.signal, add: (name, step) => void steps.push({ name, step }), listen, stop, fail };
}

async function runStep(name: string, step: StopStep, hurry: AbortSignal, waitMs: number, log: Log): Promise<boolean> {
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, waitMs, 'late');
  });
  try {
    const outcome = await Promise.race([Promise.resolve().then(() => step(hurry)), late]);
    const ms = Math.round(performance.now() - startedAt);
    if (outcome === 'late') log.error({ step: name, ms }, 'did not stop in time; left behind');
    else log.debug({ step: name, ms }, 'step stopped');
    return outcome !== 'late';
  } catch (error) {
    log.error({ step: name, err: error }, 'stopping failed');
    return false;
  } finally {
    clearTimeout(timer);
  }
}
