// The specification's crash guard, at start and every minute. A run that lost its worker is taken over by the engine and goes on from its last
// part, and a queue is no fault: so the guard fails nothing. It says in the log what has waited, or been silent, for too long.

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
}

const EVERY_MS = 60_000;

export function createCrashGuard({ pool, log, election, queuedHours, staleMinutes }: GuardOptions): Service {
  return createLoop({
    name: 'documents crash guard',
    everyMs: EVERY_MS,
    election,
    log,
    tick: async () => {
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
