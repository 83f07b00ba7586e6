// The specification's crash guard, at start and every minute. A run that lost its worker is taken over by the engine and goes on from its last
// part, and a queue is no fault: so the guard says in the log what has waited, or been silent, for too long. With INGEST_MODE=http it fails runs
// whose delegation was never accepted in that time, and no others.

import { countOverdue } from '../../engine/reads/count-overdue.ts';
import type { Elected } from '../../engine/services/election.ts';
import { createLoop, type Service } from '../../engine/services/loop.ts';
import type { Pool } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';

export interface GuardOptions {
  /** Runs as millrace_engine. */
  readonly pool: Pool;
  readonly log: Log;
  readonly election: Elected;
  readonly queuedHours: number;
  readonly staleMinutes: number;
  /** Only where runs are delegated over HTTP: fails those that no worker accepted in so many seconds; how many. */
  readonly failNeverAccepted?: ((seconds: number) => Promise<number>) | undefined;
}

const EVERY_MS = 60_000;

export function createCrashGuard(options: GuardOptions): Service {
  const { pool, log, election, queuedHours, staleMinutes, failNeverAccepted } = options;
  return createLoop({
    name: 'documents crash guard',
    everyMs: EVERY_MS,
    election,
    log,
    tick: async () => {
      const failed = (await failNeverAccepted?.(queuedHours * 3_600)) ?? 0;
      if (failed > 0)
        log.warn(
          { pipeline: 'documents', failed, code: 'job_never_picked_up' },
          'document runs that no worker accepted were failed',
        );
      const { waiting, silent } = await countOverdue(pool, 'documents', { queuedHours, staleMinutes });
      if (waiting > 0)
        log.warn(
          { pipeline: 'documents', waiting, code: 'job_never_picked_up' },
          'document runs wait longer than CRASH_GUARD_QUEUED_TTL_HOURS',
        );
      if (silent > 0)
        log.warn(
          { pipeline: 'documents', count: silent, code: 'no_heartbeat' },
          'document runs are silent longer than CRASH_GUARD_RUNNING_STALE_MIN',
        );
      return undefined;
    },
  });
}
