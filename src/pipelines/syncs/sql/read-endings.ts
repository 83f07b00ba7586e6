// What the audit events say of an attempt that ended: from the history, which later attempts do not change. Runs as the engine.
import type { Queryable } from '../../../platform/database.ts';

export interface EndingRow {
  readonly run_id: string;
  readonly connector_id: string;
  readonly attempt: number;
  readonly retry_count: number;
  readonly error_code: string | null;
  readonly error_text: string | null;
}

/** `attempts` holds 0 where no attempt was under way (a waiting run that was cancelled). */
export async function readEndings(
  db: Queryable,
  runIds: readonly string[],
  attempts: readonly number[],
): Promise<EndingRow[]> {
  const { rows } = await db.query<EndingRow>({
    name: 'syncs-read-endings',
    text: `
      select r.id as run_id, r.input ->> 'connector_id' as connector_id, w.attempt,
             least(coalesce((
               select count(*)::integer from engine.attempts earlier
               where earlier.run_id = r.id and earlier.attempt <= w.attempt and earlier.outcome = 'retried' and earlier.error_kind = 'transient'
             ), 0), 5) as retry_count,
             coalesce(a.error_code, r.error_code) as error_code, coalesce(a.error_text, r.error_text) as error_text
      from unnest($1::uuid[], $2::integer[]) as w (run_id, attempt)
      join engine.runs r on r.id = w.run_id
      left join engine.attempts a on a.run_id = w.run_id and a.attempt = w.attempt`,
    values: [runIds, attempts],
  });
  return rows;
}
