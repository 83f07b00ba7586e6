// The refused rows of a run grouped by cause, the largest group first, each with a few examples.
import type { Queryable } from '../../platform/database.ts';

export interface ClusterRow {
  readonly cause: string;
  readonly code: string;
  readonly column_name: string | null;
  readonly message: string;
  readonly count: number;
  readonly open: number;
  readonly corrected: number;
  readonly replayed: number;
  readonly resolved: number;
  readonly suggestion: unknown;
  readonly examples: { line: number | null; value: string | null }[];
}

export async function clusterRejects(
  db: Queryable,
  tenantId: string,
  runId: string,
  limit: number,
): Promise<ClusterRow[]> {
  const { rows } = await db.query<ClusterRow>({
    name: 'reads-cluster-rejects',
    text: `
      with clusters as (
        select cause, min(code) as code, min(column_name) as column_name, min(reject_id) as first_id, count(*)::int as count,
               count(*) filter (where status = 'open')::int as open,
               count(*) filter (where status = 'corrected')::int as corrected,
               count(*) filter (where status = 'replayed')::int as replayed,
               count(*) filter (where status = 'resolved')::int as resolved
        from engine.rejects
        where tenant_id = $1 and run_id = $2
        group by cause
        order by count(*) desc, min(reject_id)
        limit $3
      )
      select c.cause, c.code, c.column_name, f.message, c.count, c.open, c.corrected, c.replayed, c.resolved, f.suggestion,
             (select coalesce(jsonb_agg(jsonb_build_object('line', e.line, 'value', e.value)), '[]')
              from (
                select line, value from engine.rejects
                where tenant_id = $1 and run_id = $2 and cause = c.cause
                order by reject_id limit 5
              ) e) as examples
      from clusters c
      join engine.rejects f on f.tenant_id = $1 and f.run_id = $2 and f.reject_id = c.first_id
      order by c.count desc, c.first_id`,
    values: [tenantId, runId, limit],
  });
  return rows;
}
