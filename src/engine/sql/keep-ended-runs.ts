import type { Queryable } from '../../platform/database.ts';

/** Those of the runs that ended so many days ago, or are no longer in the ledger. */
export async function keepEndedRuns(db: Queryable, runIds: readonly string[], days: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'engine-keep-ended-runs',
    text: `
      select u.id
      from unnest($1::uuid[]) as u (id)
      left join lateral (select id, finished_at from engine.all_runs x where x.id = u.id limit 1) r on true
      where r.id is null or r.finished_at < engine.now() - make_interval(days => $2)`,
    values: [runIds, days],
  });
  return rows.map(({ id }) => id);
}
