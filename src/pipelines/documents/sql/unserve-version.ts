import type { Queryable } from '../../../platform/database.ts';
import { lookUpByIndex } from './look-up-by-index.ts';

/** Takes a version that is not active any more out of the search tables. */
export async function unserveVersion(tx: Queryable, tenantId: string, versionId: string): Promise<void> {
  await lookUpByIndex(tx);
  await tx.query({
    name: 'documents-unserve-vectors',
    text: `delete from public.chunk_embeddings e where e.tenant_id = $1 and e.doc_version_id = $2`,
    values: [tenantId, versionId],
  });
  await tx.query({
    name: 'documents-unserve-terms',
    text: `delete from public.chunk_terms t where t.tenant_id = $1 and t.doc_version_id = $2`,
    values: [tenantId, versionId],
  });
}
