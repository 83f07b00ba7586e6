// What is known of the files of some runs: size, hash, and the earliest other run that was handed exactly the same bytes.
import type { Queryable } from '../../platform/database.ts';

export interface UploadFacts {
  readonly run_id: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly same_bytes_as: string | null;
}

/** The others are looked up by their blob alone (`offset 0`): without statistics all runs of the tenant were read for each of the page. */
export async function readUploadFacts(
  db: Queryable,
  tenantId: string,
  runIds: readonly string[],
): Promise<UploadFacts[]> {
  const { rows } = await db.query<UploadFacts>({
    name: 'reads-upload-facts',
    text: `
      select r.id as run_id, b.bytes, encode(b.sha256, 'hex') as sha256, earlier.id as same_bytes_as
      from engine.all_runs r
      cross join lateral (select * from engine.blobs x where x.blob_id = r.blob_id limit 1) b
      left join lateral (
        select o.id
        from engine.blobs c
        cross join lateral (select n.id, n.tenant_id from engine.all_runs n where n.blob_id = c.blob_id offset 0) o
        where o.tenant_id = c.tenant_id and c.tenant_id = r.tenant_id and c.sha256 = b.sha256 and o.id < r.id and o.id is distinct from r.retry_of
        order by o.id
        limit 1
      ) earlier on true
      where r.tenant_id = $1 and r.id = any ($2::uuid[]) and b.tenant_id = r.tenant_id`,
    values: [tenantId, runIds],
  });
  return rows;
}
