// The figures that the judgments specification names, for a dashboard.
import type { Queryable } from '../../../platform/database.ts';

export interface IngestFigures {
  readonly last_failed_batch: string | null;
  readonly last_failed_at: Date | null;
  readonly failed_24h: number;
  readonly stale_runs: number;
  readonly avg_processing_s: number | null;
  readonly dead_letters: number;
}

/** The judgments specification's figures, of judgments only. The mean is over the newest thousand batches. */
export async function readIngestFigures(db: Queryable, tenantId: string): Promise<IngestFigures> {
  const { rows } = await db.query<IngestFigures>({
    name: 'judgments-read-ingest-figures',
    text: `
      with failed as (
        select f.run_id, f.finished_at from engine.flagged_runs f
        where f.tenant_id = $1 and f.pipeline = 'judgments' and f.phase = 'failed'
      ),
      last_failed as (
        select run_id, finished_at from failed order by finished_at desc limit 1
      ),
      newest as (
        select phase, started_at, finished_at from engine.all_runs
        where tenant_id = $1 and pipeline = 'judgments' order by id desc limit 1000
      )
      select
        (select count(*)::int from failed where finished_at > engine.now() - interval '24 hours') as failed_24h,
        (select finished_at from last_failed) as last_failed_at,
        (select coalesce(r.unique_key, r.id::text) from last_failed l join engine.all_runs r on r.id = l.run_id) as last_failed_batch,
        (select count(*)::int from ingest.v_stale_runs s join engine.runs r on r.id = s.id where r.tenant_id = $1) as stale_runs,
        (select avg(extract(epoch from finished_at - started_at))::float8 from newest where phase = 'done') as avg_processing_s,
        (select count(*)::int from ingest.dead_letters d where d.tenant_id = $1) as dead_letters`,
    values: [tenantId],
  });
  return rows[0] as IngestFigures;
}
