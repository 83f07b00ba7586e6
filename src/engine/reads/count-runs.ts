// How many runs of a tenant stand in each phase, all of them: waiting ones include those that are held, ended ones those in the history.
import type { Queryable } from '../../platform/database.ts';
import type { LaneRow } from './read-queue.ts';
import type { FlaggedCount } from './read-tenant-figures.ts';

export interface RunTotals {
  readonly pipeline: string;
  readonly total: number;
  /** Waiting, and in no queue: held by a person or by a question. */
  readonly held: number;
}

/** Under the tenant's row-level security. Counts along the index (tenant, pipeline): a million runs take some tenths of a second. */
export async function readRunTotals(db: Queryable, tenantId: string): Promise<RunTotals[]> {
  const { rows } = await db.query<RunTotals>({
    name: 'reads-run-totals',
    text: `
      with totals as (
        select pipeline, count(*) as total from engine.all_runs where tenant_id = $1 group by pipeline
      ),
      held as (
        select pipeline, count(*) as held from engine.runs
        where tenant_id = $1 and held_at is not null and phase = 'waiting' group by pipeline
      )
      select t.pipeline, t.total::float8 as total, coalesce(h.held, 0)::float8 as held
      from totals t
      left join held h on h.pipeline = t.pipeline`,
    values: [tenantId],
  });
  return rows;
}

export type PhaseCounts = Readonly<Record<'waiting' | 'active' | 'done' | 'failed' | 'dead', number>>;

/** What has not ended is known from the queue, bad ends from their side table; good ends are the rest. */
export function countPhases(
  totals: readonly RunTotals[],
  lanes: readonly LaneRow[],
  flagged: readonly FlaggedCount[],
): Readonly<Record<string, PhaseCounts>> {
  const counted = totals.map(({ pipeline, total, held }) => {
    const own = lanes.filter((lane) => lane.pipeline === pipeline);
    const waiting = own.reduce((sum, lane) => sum + lane.waiting, held);
    const active = own.reduce((sum, lane) => sum + lane.active, 0);
    const ended = (phase: string) =>
      flagged.find((each) => each.pipeline === pipeline && each.phase === phase)?.count ?? 0;
    const [failed, dead] = [ended('failed'), ended('dead')];
    return [pipeline, { waiting, active, done: Math.max(0, total - waiting - active - failed - dead), failed, dead }];
  });
  return Object.fromEntries(counted);
}
