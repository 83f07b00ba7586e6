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
      set correction = nullif($5::jsonb -> r.reject_id::text -> 'correction', 'null'),
          status = $5::jsonb -> r.reject_id::text ->> 'status',
          corrected_by = case when jsonb_typeof($5::jsonb -> r.reject_id::text -> 'correction') <> 'null' then $3 end,
          corrected_at = case when jsonb_typeof($5::jsonb -> r.reject_id::text -> 'correction') <> 'null' then engine.now() end
      where r.tenant_id = $1 and r.run_id = $2 and r.reject_id = any ($4::bigint[]) and r.status in ('open', 'corrected')`,
    values: [
      run.tenantId,
      run.runId,
      run.by,
      writes.map((write) => write.rejectId),
      JSON.stringify(
        Object.fromEntries(writes.map(({ rejectId, correction, status }) => [rejectId, { correction, status }])),
      ),
    ],
  });
  return rowCount ?? 0;
}
