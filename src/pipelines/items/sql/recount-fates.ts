import type { Queryable } from '../../../platform/database.ts';
import type { Fates } from '../process/receipt.ts';

/** The last fate of every item up to the end of the run. */
export async function recountFates(db: Queryable, jobId: string, runId: string): Promise<Fates> {
  const { rows } = await db.query<Fates>({
    name: 'items-recount-fates',
    text: `
      with fates as (
        select distinct on (a.item_id) a.outcome
        from public.all_item_attempts a
        where a.job_id = $1 and a.is_final
          and a.ended_at <= coalesce((select r.finished_at from engine.all_runs r where r.id = $2 limit 1), 'infinity')
        order by a.item_id, a.claim desc
      )
      select count(*)::int as total,
             count(*) filter (where outcome = 'FOUND')::int as done,
             count(*) filter (where outcome = 'NOT_FOUND')::int as not_found,
             count(*) filter (where outcome = 'ERROR')::int as error,
             count(*) filter (where outcome = 'SKIPPED')::int as skipped
      from fates`,
    values: [jobId, runId],
  });
  return rows[0] as Fates;
}
