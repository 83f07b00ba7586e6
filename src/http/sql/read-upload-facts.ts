// What is known of the files of some runs: size, hash, and the earliest other run that was handed exactly the same bytes.
import type { Queryable } from '../../platform/database.ts';

export interface UploadFacts {
  readonly run_id: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly same_bytes_as: string | null;
}

export async function readUploadFacts(
  db: Queryable,
  tenantId: string,
  runIds: readonly string[],
): Promise<UploadFacts[]> {
  const { rows } = await db.query<UploadFacts>({
    name: 'http-read-upload-facts',
    text: `
      select r.id as run_id, b.bytes, encode(b.sha256, 'hex') as sha256, earlier.id as same_bytes_as
      from engine.all_runs r
      join engine.blobs b on b.blob_id = r.blob_id and b.tenant_id = r.tenant_id
      left join lateral (
        select o.id
        from engine.blobs c
        join engine.all_runs o on o.blob_id = c.blob_id and o.tenant_id = c.tenant_id
        where c.tenant_id = r.tenant_id and c.sha256 = b.sha256 and o.id < r.id and o.id is distinct from r.retry_of
        order by o.id
        limit 1
      ) earlier on true
      where r.tenant_id = $1 and r.id = any ($2::uuid[])`,
    values: [tenantId, runIds],
  });
  return rows;
}
