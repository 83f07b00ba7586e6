// The due mover puts planned runs into the queue when they are due.
import type { Pool } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { Log } from '../../platform/log.ts';
import { moveDueRuns } from '../sql/move-due-runs.ts';
import type { Elected } from './election.ts';
import { createLoop, type Service } from './loop.ts';

export interface DueMoverOptions {
  readonly pool: Pool;
  readonly log: Log;
  readonly everyMs: number;
  readonly idleMs: number;
  readonly election?: Elected;
  readonly onMoved: () => void;
}

const BATCH = 1_000;

export function createDueMover(options: DueMoverOptions): Service {
  return createLoop({
    name: 'due mover',
    ...options,
    // Who has just planned a run for later knows of it; the elected process may not.
    wakesAnywhere: true,
    async tick() {
      const { moved, next_in_ms } = await moveDueRuns(options.pool, BATCH);
      failpoint('due.after_commit');
      if (moved > 0) options.onMoved();
      if (moved === BATCH) return 0;
      // One that is due later than the next look is found by it.
      return next_in_ms === null || next_in_ms > options.idleMs ? undefined : Math.max(1, next_in_ms);
    },
  });
}
