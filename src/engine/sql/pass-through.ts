// Moves a run along one arrow while its attempt goes on, inside the transaction that ends the attempt.
import type { Queryable } from '../../platform/database.ts';
import type { FenceKey } from './fence.ts';

/** The status reached, or undefined when the attempt no longer has the run. */
export async function passThrough(
  db: Queryable,
  lease: FenceKey,
  step: { readonly fromStatus: string; readonly event: string },
): Promise<string | undefined> {
  const { rows } = await db.query<{ status: string }>({
    name: 'engine-pass-through',
    text: `
      with held as (
        select run_id from engine.leases
        where run_id = $1 and part = $2 and attempt = $3 and (worker_id = $4) is true
        for update
      )
      update engine.runs r
      set status = t.to_status, phase = t.to_phase, updated_at = engine.now()
      from held h, engine.transitions t
      where r.id = h.run_id and r.status = $5
        and t.pipeline = r.pipeline and t.from_status = r.status and t.event = $6
      returning r.status`,
    values: [lease.id, lease.part, lease.attempt, lease.workerId, step.fromStatus, step.event],
  });
  return rows[0]?.status;
}
