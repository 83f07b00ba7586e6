// The due mover: runs that were planned for later enter the queue when their time has come.
import type { Pool } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { Log } from '../../platform/log.ts';
import { moveDueRuns } from '../sql/move-due-runs.ts';
import { createLoop, type Service } from './loop.ts';

export interface DueMoverOptions {
  readonly pool: Pool;
  readonly log: Log;
  readonly everyMs: number;
  readonly onMoved: () => void;
}

const BATCH = 1_000;

export function createDueMover(options: DueMoverOptions): Service {
  return createLoop({
    name: 'due mover',
    everyMs: options.everyMs,
    log: options.log,
    async tick() {
      const { moved, next_in_ms } = await moveDueRuns(options.pool, BATCH);
      failpoint('due.after_commit');
      if (moved > 0) options.onMoved();
      if (moved === BATCH) return 0;
      return Math.max(1, Math.min(options.everyMs, next_in_ms ?? options.everyMs));
    },
  });
}
