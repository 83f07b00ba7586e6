// What a crash left behind in the tables, for the proofs of the golden path.
import type { Queryable } from '../../../../../platform/database.ts';

/** The batch's start as it is shown. As the engine. */
export async function readShownStart(db: Queryable, runId: string): Promise<Date | undefined> {
  const { rows } = await db.query<{ started_at: Date }>({
    name: 'judgments-read-shown-start',
    text: `select started_at from ingest.import_runs where id = $1`,
    values: [runId],
  });
  return rows[0]?.started_at;
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
