import type { Queryable } from '../../../platform/database.ts';

export interface SameBytesRow {
  readonly blob_id: string;
  readonly run_id: string;
}

/** The first run of a tenant that was handed exactly these bytes before the given blob. */
export async function selectSameBytes(
  db: Queryable,
  wanted: { readonly tenantId: string; readonly sha256: Buffer; readonly blobId: string },
): Promise<SameBytesRow | undefined> {
  const { rows } = await db.query<SameBytesRow>({
    name: 'select-same-bytes',
    text: `
      select b.blob_id, r.id as run_id
      from engine.blobs b
      join engine.all_runs r on r.blob_id = b.blob_id
      where b.tenant_id = $1 and b.sha256 = $2 and b.blob_id <> $3 and r.tenant_id = $1
      order by r.id
      limit 1`,
    values: [wanted.tenantId, wanted.sha256, wanted.blobId],
  });
  return rows[0];
}
