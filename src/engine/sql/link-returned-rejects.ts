import type { Queryable } from '../../platform/database.ts';

export interface ReturnedLines {
  readonly tenantId: string;
  /** The run whose refused rows have come back. */
  readonly original: string;
  /** The run they have come back in. */
  readonly runId: string;
  /** Lines of the original file. */
  readonly lines: readonly number[];
}

/** Refused rows that a downloaded file of rejects brings back are on their way in another run now. The rows themselves stay as they are. */
export async function linkReturnedRejects(db: Queryable, returned: ReturnedLines): Promise<void> {
  const { tenantId, original, runId, lines } = returned;
  if (lines.length === 0) return;
  await db.query({
    name: 'engine-link-returned-rejects',
    text: `
      update engine.rejects
      set status = 'replayed', replayed_as = $3
      where tenant_id = $1 and run_id = $2 and line = any ($4::bigint[]) and status in ('open', 'corrected')`,
    values: [tenantId, original, runId, lines],
  });
}
