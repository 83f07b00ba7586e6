import type { Queryable } from '../../platform/database.ts';

/** A run that brought refused rows back and failed leaves them as they were before it, to be brought back again. */
export async function reopenReplayed(db: Queryable, runIds: readonly string[]): Promise<void> {
  await db.query({
    name: 'engine-reopen-replayed',
    text: `
      update engine.rejects j
      set status = case when j.correction is null or j.correction ? 'returned' then 'open' else 'corrected' end,
          correction = case when j.correction ? 'returned' then null else j.correction end,
          replayed_as = null
      from engine.runs r
      where r.id = any ($1::uuid[]) and r.input ? 'rejects_of'
        and j.run_id = (r.input ->> 'rejects_of')::uuid and j.replayed_as = r.id and j.status = 'replayed'`,
    values: [runIds],
  });
}
