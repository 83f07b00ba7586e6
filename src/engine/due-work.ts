// Moves all runs that are due into the queue, for processes that start, work and exit (a command, a cron job). The services do the same, but such a
// process might find an empty queue before they do.
import type { Pool } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import type { Registry } from './pipeline.ts';
import { fireDueSchedules } from './services/scheduler.ts';
import { moveDueRuns } from './sql/move-due-runs.ts';

const BATCH = 1_000;

export async function queueDueWork(pool: Pool, registry: Registry, log: Log): Promise<void> {
  while ((await fireDueSchedules(pool, registry, log)) > 0);
  while ((await moveDueRuns(pool, BATCH)).moved > 0);
}
