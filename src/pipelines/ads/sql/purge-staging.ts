// Statements of the cleanup worker. It sees whose staging is old and may delete it, and reads nothing of its contents.
import type { Queryable } from '../../../platform/database.ts';

/** Uploads with staging, oldest first: upload ids are made in order of time, so a loose walk along the key finds each in one step. */
export async function listStagedUploads(db: Queryable, days: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ upload_id: string }>({
    name: 'ads-list-staged-uploads',
    text: `
      with recursive uploads as (
        (select upload_id, created_at, 1 as nth from staging_rows order by upload_id limit 1)
        union all
        select n.upload_id, n.created_at, u.nth + 1
        from uploads u
        cross join lateral (
          select s.upload_id, s.created_at from staging_rows s where s.upload_id > u.upload_id order by s.upload_id limit 1
        ) n
        where u.nth < $2
      )
      select upload_id from uploads where created_at < engine.now() - make_interval(days => $1)`,
    values: [days, limit],
  });
  return rows.map(({ upload_id }) => upload_id);
}

/** Deletes about `limit` staged rows of an upload, from its start; how many there were. */
export async function deleteStagedRows(db: Queryable, uploadId: string, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'ads-delete-staged-rows',
    text: `
      delete from staging_rows
      where upload_id = $1
        and row_index <= coalesce(
          (select row_index from staging_rows where upload_id = $1 order by row_index offset $2::int - 1 limit 1), 2147483647)`,
    values: [uploadId, limit],
  });
  return rowCount ?? 0;
}

/** All of an upload's at once: there are only as many as it names campaigns, ad sets and ads. */
export async function deleteResolutions(db: Queryable, uploadId: string): Promise<number> {
  await db.query({
    name: 'ads-delete-resolutions',
    text: `delete from staging_id_resolution where upload_id = $1`,
    values: [uploadId],
  });
  return 0;
}
