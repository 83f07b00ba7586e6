// What the tables say of a batch's cases today, asked by key. What was noted while storing is believed only where the case itself bears
// it out; of batches whose notes are gone the case alone is asked.
import type { Queryable } from '../../../platform/database.ts';

export interface RecountKeys {
  readonly rowIndex: readonly number[];
  readonly caseNumber: readonly string[];
  readonly countyKey: readonly (string | null)[];
}

export type RecountOutcome = 'inserted' | 'updated' | 'unchanged' | 'lost';

/** One outcome per key, in the order given. `lost`: the tables do not hold the case as it was noted. */
export async function recountJudgments(
  db: Queryable,
  scope: { readonly tenantId: string; readonly runId: string },
  keys: RecountKeys,
): Promise<RecountOutcome[]> {
  const { rows } = await db.query<{ outcome: RecountOutcome }>({
    name: 'judgments-recount',
    text: `
      with key as (
        select * from unnest($3::int[], $4::text[], $5::text[]) with ordinality as k (row_index, case_number, county_key, nth)
      ),
      notes as materialized (
        select o.outcome, o.rows from engine.row_outcomes o where o.run_id = $2 and o.tenant_id = $1
      )
      select case
               when j.id is null then 'lost'
               when n.outcome = 'inserted' or n.outcome is null and j.run_id = $2 and j.created_at >= r.started_at
                 then case when j.created_at >= r.started_at then 'inserted' else 'lost' end
               when n.outcome = 'updated' or n.outcome is null and j.run_id = $2
                 then case when j.updated_at >= r.started_at then 'updated' else 'lost' end
               else case when j.run_id <> $2 then 'unchanged' else 'lost' end end as outcome
      from key k
      join engine.all_runs r on r.id = $2
      left join lateral (
        select c.id, c.run_id, c.created_at, c.updated_at from judgments c
        where c.tenant_id = $1 and c.case_number = k.case_number and c.county_key is not distinct from k.county_key
        limit 1
      ) j on true
      left join lateral (select x.outcome from notes x where x.rows @> k.row_index limit 1) n on true
      order by k.nth`,
    values: [scope.tenantId, scope.runId, keys.rowIndex, keys.caseNumber, keys.countyKey],
  });
  return rows.map(({ outcome }) => outcome);
}
