// How names and ids of an upload were resolved, once its staging goes.
import type { Queryable } from '../../../platform/database.ts';

/** All of an upload's at once: there are only as many as it names campaigns, ad sets and ads. */
export async function deleteResolutions(db: Queryable, uploadId: string): Promise<number> {
  await db.query({
    name: 'ads-delete-resolutions',
    text: `delete from staging_id_resolution where upload_id = $1`,
    values: [uploadId],
  });
  return 0;
}
