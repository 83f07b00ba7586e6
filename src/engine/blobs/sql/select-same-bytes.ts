import type { Queryable } from '../../../platform/database.ts';

export interface SameBytesRow {
  readonly blob_id: string;
  readonly run_id: string;
}

/**
 * The first run of a tenant that was handed exactly these bytes before the given blob. Runs are looked up by their blob alone (`offset 0`):
 * without statistics the planner also gathered all runs of the tenant.
 */
export async function selectSameBytes(
  db: Queryable,
  wanted: { readonly tenantId: string; readonly sha256: Buffer; readonly blobId: string },
): Promise<SameBytesRow | undefined> {
  const { rows } = await db.query<SameBytesRow>({
    name: 'select-same-bytes',
    text: `
      select b.blob_id, r.id as run_id
      from engine.blobs b
      cross join lateral (select o.id, o.tenant_id from engine.all_runs o where o.blob_id = b.blob_id offset 0) r
      where b.tenant_id = $1 and b.sha256 = $2 and b.blob_id <> $3 and r.tenant_id = $1
      order by r.id
      limit 1`,
    values: [wanted.tenantId, wanted.sha256, wanted.blobId],
  });
  return rows[0];
}
