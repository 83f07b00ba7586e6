// Moves everything that is due now into the queue, for processes that start, work and exit (a command, a cron job). The services do the same, but
// perhaps only after such a process has looked and found nothing.
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
