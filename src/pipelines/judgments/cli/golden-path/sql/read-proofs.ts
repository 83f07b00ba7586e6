// What a crash left behind in the tables, for the proofs of the golden path.
import type { Queryable } from '../../../../../platform/database.ts';

export interface RunProof {
  readonly attempts: number;
  readonly lost: number;
  readonly takeover_alerts: number;
  readonly terminal_events: number;
  /** The batch's start as it is shown, against that of the attempt that was lost. */
  readonly is_restarted: boolean;
}

/** As the engine. */
export async function readRunProof(db: Queryable, runId: string): Promise<RunProof> {
  const { rows } = await db.query<RunProof>({
    name: 'judgments-read-run-proof',
    text: `
      select (select count(*)::int from engine.attempts where run_id = $1) as attempts,
             (select count(*)::int from engine.attempts where run_id = $1 and outcome = 'lost') as lost,
             (select count(*)::int from engine.all_events
              where run_id = $1 and type = 'alert.raised' and data ->> 'message' like '[STALE TAKEOVER] %') as takeover_alerts,
             (select count(*)::int
              from (select type from engine.all_events where run_id = $1 offset 0) e
              where e.type in ('run.done', 'run.failed')) as terminal_events,
             (select i.started_at from ingest.import_runs i where i.id = $1)
               > (select max(a.started_at) from engine.attempts a where a.run_id = $1 and a.outcome = 'lost') as is_restarted`,
    values: [runId],
  });
  return rows[0] as RunProof;
}

export interface RowProof {
  readonly judgments: number;
  readonly distinct_cases: number;
  readonly plaintiffs: number;
}

/** As the tenant. */
export async function readRowProof(db: Queryable, tenantId: string, runId: string): Promise<RowProof> {
  const { rows } = await db.query<RowProof>({
    name: 'judgments-read-row-proof',
    text: `
      select count(*)::int as judgments, count(distinct (case_number, county_key))::int as distinct_cases,
             (select count(*)::int from plaintiffs where tenant_id = $1 and run_id = $2) as plaintiffs
      from judgments where tenant_id = $1 and run_id = $2`,
    values: [tenantId, runId],
  });
  return rows[0] as RowProof;
}
