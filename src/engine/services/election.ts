// Elects the process that does the background work: the one that holds a row with an expiry. Fifty processes that each look for due runs, silent
// workers and new events would cost the database far more than the work.
//
// Promises: normally one process is elected. When it is gone, another one follows soon, and at once if it stopped or was killed on the same machine. Does
// not promise that two processes never overlap for a moment: every service is safe in all processes at once.
import { hostname } from 'node:os';
import type { Pool } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { isAlive } from '../../platform/is-alive.ts';
import type { Log } from '../../platform/log.ts';
import { waitAtMost } from '../../platform/wait.ts';
import { resign, standForElection } from '../sql/elections.ts';

export interface ElectionOptions {
  readonly pool: Pool;
  readonly log: Log;
  /** Which election; asked when it starts. Only those that can do the same work stand in the same one. */
  readonly name: () => string;
  /** How long the row holds without being renewed. */
  readonly ttlMs: number;
}

/** What a service needs to know. */
export interface Elected {
  isElected(): boolean;
  /** Called whenever this process is elected after it was not. Returns how to stop listening. */
  onElected(listener: () => void): () => void;
}

export interface Election extends Elected {
  start(): void;
  /** Gives the row up, so that another process can have it at once. */
  stop(): Promise<void>;
}

/** Well before it expires, with room for one try that fails. */
const RENEWALS_PER_TTL = 2.5;

export function createElection({ pool, log, name, ttlMs }: ElectionOptions): Election {
  let candidate = { name: '', holder: uuidv7(), host: hostname(), pid: process.pid };
  const listeners = new Set<() => void>();
  let stop = new AbortController();
  let heldUntil = Number.NEGATIVE_INFINITY;
  let dead: string | null = null;
  let standing: Promise<void> | undefined;

  const isElected = () => performance.now() < heldUntil;

  async function stand(): Promise<void> {
    const wasElected = isElected();
    // Counted from before the question: the server's answer may take its time.
    const askedAt = performance.now();
    const outcome = await standForElection(pool, candidate, ttlMs, dead);
    dead = null;
    if (outcome.is_elected) {
      heldUntil = askedAt + ttlMs;
      if (!wasElected) for (const listener of listeners) listener();
      return;
    }
    heldUntil = Number.NEGATIVE_INFINITY;
    if (outcome.holder === null || outcome.host !== candidate.host || outcome.pid === null) return;
    if (isAlive(outcome.pid)) return;
    dead = outcome.holder;
    await stand();
  }

  async function keepStanding(): Promise<void> {
    while (!stop.signal.aborted) {
      await stand().catch((error: unknown) =>
        log.warn(
          { err: error },
          'the election of the process that does the background work did not reach the database',
        ),
      );
      await waitAtMost(ttlMs / RENEWALS_PER_TTL, stop.signal);
    }
  }

  return {
    isElected,
    onElected(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      if (standing !== undefined) return;
      stop = new AbortController();
      candidate = { ...candidate, name: name() };
      standing = keepStanding();
    },
    async stop() {
      if (standing === undefined) return;
      stop.abort();
      await standing;
      standing = undefined;
      if (isElected()) await resign(pool, candidate.name, candidate.holder).catch(() => {});
      heldUntil = Number.NEGATIVE_INFINITY;
    },
  };
}
