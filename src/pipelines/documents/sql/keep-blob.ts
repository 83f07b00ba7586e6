import type { Queryable } from '../../../platform/database.ts';

/**
 * How long the file of a run is kept from now on; 0 lets the next sweep take it. Bytes that another version that is kept was made from stay
 * at least as long as they did.
 */
export async function keepBlobUntil(tx: Queryable, blobId: string, days: number): Promise<void> {
  await tx.query({
    name: 'documents-keep-blob',
    text: `
      update engine.blobs b
      set keep_until = engine.now() + make_interval(days => $2)
      where b.blob_id = $1 and b.deleted_at is null
        and (engine.now() + make_interval(days => $2) > b.keep_until
             or not exists (select from public.document_versions v
                            where v.tenant_id = b.tenant_id and v.blob_id = b.blob_id and v.ready_at is not null
                              and b.keep_until > engine.now() + interval '3650 days'))`,
    values: [blobId, days],
  });
}
