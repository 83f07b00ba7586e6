import type { Queryable } from '../../platform/database.ts';

export interface ReturnedLine {
  /** Of the original file. */
  readonly line: number;
  /** The row as the returned file has it. */
  readonly cells: Readonly<Record<string, string>>;
}

export interface ReturnedLines {
  readonly tenantId: string;
  /** The run whose refused rows have come back. */
  readonly original: string;
  /** The run they have come back in. */
  readonly runId: string;
  readonly lines: readonly ReturnedLine[];
}

/**
 * Refused rows that a downloaded file of rejects brings back are on their way in another run now. What was read of them stays as it is;
 * what the file says instead is kept as their correction.
 */
export async function linkReturnedRejects(db: Queryable, returned: ReturnedLines): Promise<void> {
  const { tenantId, original, runId, lines } = returned;
  if (lines.length === 0) return;
  await db.query({
    name: 'engine-link-returned-rejects',
    text: `
      update engine.rejects j
      set status = 'replayed', replayed_as = $3, corrected_by = 'the uploaded file', corrected_at = engine.now(),
          correction = jsonb_build_object('cells', $5::jsonb -> j.line::text, 'faults', '[]'::jsonb, 'returned', true)
      where j.tenant_id = $1 and j.run_id = $2 and j.line = any ($4::bigint[]) and j.status in ('open', 'corrected')`,
    values: [
      ...[tenantId, original, runId, lines.map(({ line }) => line)],
      JSON.stringify(Object.fromEntries(lines.map(({ line, cells }) => [line, cells]))),
    ],
  });
}
