import type { Queryable } from '../../../platform/database.ts';

/** What a batch of the golden path stored. The database refuses to delete rows of any other batch (policy test_batches_only). */
export async function removeTestRows(db: Queryable, tenantId: string, runId: string): Promise<number> {
  const { rows } = await db.query<{ removed: number }>({
    name: 'judgments-remove-test-rows',
    text: `
      with repeated as (delete from intake.superseded_rows where tenant_id = $1 and batch_id = $2),
      staged as (delete from intake.simplicity_validated_rows where tenant_id = $1 and batch_id = $2 returning 1),
      readings as (delete from intake.batch_readings where tenant_id = $1 and batch_id = $2),
      reviews as (delete from plaintiff_reviews where tenant_id = $1 and run_id = $2),
      keys as (delete from plaintiff_keys where tenant_id = $1 and run_id = $2),
      cases as (delete from judgments where tenant_id = $1 and run_id = $2 returning 1),
      people as (delete from plaintiffs where tenant_id = $1 and run_id = $2 returning 1)
      select ((select count(*) from staged) + (select count(*) from cases) + (select count(*) from people))::int as removed`,
    values: [tenantId, runId],
  });
  return rows[0]?.removed ?? 0;
}
