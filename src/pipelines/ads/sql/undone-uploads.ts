import type { Queryable } from '../../../platform/database.ts';

/** From now on nobody brings back a number of the upload. */
export async function insertUndoneUpload(
  db: Queryable,
  undone: { readonly workspaceId: string; readonly uploadId: string; readonly by: string },
): Promise<void> {
  await db.query({
    name: 'ads-insert-undone-upload',
    text: `
      insert into undone_uploads (workspace_id, upload_id, undone_by) values ($1, $2, $3)
      on conflict (workspace_id, upload_id) do nothing`,
    values: [undone.workspaceId, undone.uploadId, undone.by],
  });
}

/** The run that undid the upload; undefined: none has begun to. */
export async function findUndoOf(db: Queryable, workspaceId: string, uploadId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ undone_by: string }>({
    name: 'ads-find-undo-of',
    text: `select undone_by from undone_uploads where workspace_id = $1 and upload_id = $2`,
    values: [workspaceId, uploadId],
  });
  return rows[0]?.undone_by;
}

/** Numbers that the upload still owns: those that replaced an earlier one, and those that did not. */
export async function countOwnedNumbers(
  db: Queryable,
  of: { readonly workspaceId: string; readonly uploadId: string; readonly reportedAt: string },
): Promise<{ removed: number; restored: number }> {
  const { rows } = await db.query<{ removed: number; restored: number }>({
    name: 'ads-count-owned-numbers',
    text: `
      select count(*) filter (where not has_earlier)::int as removed, count(*) filter (where has_earlier)::int as restored
      from (
        select exists (
                 select from daily_metrics_history h
                 where h.workspace_id = $1 and h.metric_id = r.id and h.run_id <> $2
                   and not exists (select from undone_uploads u where u.workspace_id = $1 and u.upload_id = h.run_id)) as has_earlier
        from daily_metric_rows r
        where r.workspace_id = $1 and r.run_id = $2 and r.reported_at <= $3::timestamptz
      ) owned`,
    values: [of.workspaceId, of.uploadId, of.reportedAt],
  });
  return rows[0] ?? { removed: 0, restored: 0 };
}
