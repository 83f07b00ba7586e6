// Perceptual hashes of a job's images.
import type { Queryable } from '../../../platform/database.ts';

export interface ImageTwin {
  readonly row_index: number;
  readonly distance: number;
}

/**
 * The image of the job that this one is nearly the same as; where there is none, it is remembered as one that others may be copies of. One image of a job at a
 * time: two copies that are looked at in the same moment must not both count as the first.
 */
export async function findTwin(
  db: Queryable,
  image: {
    readonly tenantId: string;
    readonly jobId: string;
    readonly itemId: string;
    readonly rowIndex: number;
    readonly hash: string;
    readonly maxDistance: number;
  },
): Promise<ImageTwin | undefined> {
  await db.query({
    name: 'items-lock-images',
    text: `select pg_advisory_xact_lock(hashtextextended('item_images ' || $1::text, 0))`,
    values: [image.jobId],
  });
  const { rows } = await db.query<ImageTwin>({
    name: 'items-find-twin',
    text: `
      select row_index, bit_count(hash # $3::bit(64))::int as distance from public.item_images
      where job_id = $1 and item_id <> $2 and bit_count(hash # $3::bit(64)) <= $4
      order by distance, row_index limit 1`,
    values: [image.jobId, image.itemId, bits(image.hash), image.maxDistance],
  });
  if (rows[0] !== undefined) return rows[0];
  await db.query({
    name: 'items-remember-image',
    text: `
      insert into public.item_images (tenant_id, job_id, item_id, row_index, hash) values ($1, $2, $3, $4, $5::bit(64))
      on conflict (job_id, item_id) do update set hash = excluded.hash`,
    values: [image.tenantId, image.jobId, image.itemId, image.rowIndex, bits(image.hash)],
  });
  return undefined;
}

function bits(hash: string): string {
  return BigInt(`0x${hash}`).toString(2).padStart(64, '0');
}
