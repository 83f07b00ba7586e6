import type { Queryable } from '../../../platform/database.ts';

/** The bytes of an ended run are not kept any longer: the next sweep takes them. */
export async function expireBlobOf(db: Queryable, tenantId: string, runId: string): Promise<void> {
  await db.query({
    name: 'expire-blob-of',
    text: `
      update engine.blobs b
      set keep_until = engine.now()
      where b.tenant_id = $1 and b.blob_id = (
        select r.blob_id from engine.all_runs r where r.tenant_id = $1 and r.id = $2 and r.finished_at is not null limit 1)`,
    values: [tenantId, runId],
  });
}
