// Moves a run along one arrow while its attempt goes on, inside the transaction that ends the attempt.
import type { Queryable } from '../../platform/database.ts';

/** The status reached, or undefined when the attempt no longer has the run. */
export async function passThrough(
  db: Queryable,
  step: { runId: string; attempt: number; fromStatus: string; event: string },
): Promise<string | undefined> {
  const { rows } = await db.query<{ status: string }>({
    name: 'engine-pass-through',
    text: `
      with held as (
        select run_id from engine.leases where run_id = $1 and attempt = $2 for update
      )
      update engine.runs r
      set status = t.to_status, phase = t.to_phase, updated_at = engine.now()
      from held h, engine.transitions t
      where r.id = h.run_id and r.status = $3
        and t.pipeline = r.pipeline and t.from_status = r.status and t.event = $4
      returning r.status`,
    values: [step.runId, step.attempt, step.fromStatus, step.event],
  });
  return rows[0]?.status;
}
