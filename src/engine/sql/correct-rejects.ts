// Writes corrections beside refused rows. Only rows that are still open or corrected take one; the rows as read never change.
import type { Queryable } from '../../platform/database.ts';

export interface CorrectionWrite {
  readonly rejectId: string;
  /** Null takes the correction back. */
  readonly correction: { cells: Readonly<Record<string, string | null>>; faults: readonly unknown[] } | null;
  readonly status: 'open' | 'corrected';
}

export async function correctRejects(
  db: Queryable,
  run: { tenantId: string; runId: string; by: string },
  writes: readonly CorrectionWrite[],
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'engine-correct-rejects',
    text: `
      update engine.rejects r
      set correction = w.correction, status = w.status,
          corrected_by = case when w.correction is null then null else $3 end,
          corrected_at = case when w.correction is null then null else engine.now() end
      from unnest($4::bigint[], $5::jsonb[], $6::text[]) as w (reject_id, correction, status)
      where r.tenant_id = $1 and r.run_id = $2 and r.reject_id = w.reject_id and r.status in ('open', 'corrected')`,
    values: [
      run.tenantId,
      run.runId,
      run.by,
      writes.map((write) => write.rejectId),
      writes.map((write) => (write.correction === null ? null : JSON.stringify(write.correction))),
      writes.map((write) => write.status),
    ],
  });
  return rowCount ?? 0;
}
