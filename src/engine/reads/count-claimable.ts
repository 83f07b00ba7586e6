// Whether a worker that is meant to stop when all is done still has something to do.
import type { Queryable } from '../../platform/database.ts';

/** Runs of these pipelines that are worked on, or that could be claimed now: not paused, not planned for later, not held. */
export async function countClaimable(db: Queryable, pipelines: readonly string[]): Promise<number> {
  const { rows } = await db.query<{ left: number }>({
    name: 'reads-count-claimable',
    text: `
      select (select count(*) from engine.leases where pipeline = any ($1))
           + (select count(*) from engine.ready q
              where q.pipeline = any ($1)
                and (select true from engine.pauses p where p.pipeline = q.pipeline and p.lane in ('', q.lane) limit 1) is null)
           as left`,
    values: [pipelines],
  });
  return rows[0]?.left ?? 0;
}
