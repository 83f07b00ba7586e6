// How far a stage got. Always written in the transaction of the effects it covers.
import type { Queryable } from '../../platform/database.ts';

export async function readCheckpoint(db: Queryable, runId: string, stage: string, part: string): Promise<unknown> {
  const { rows } = await db.query<{ state: unknown }>({
    name: 'engine-read-checkpoint',
    text: `select state from engine.checkpoints where run_id = $1 and stage = $2 and part = $3`,
    values: [runId, stage, part],
  });
  return rows[0]?.state;
}

export async function writeCheckpoint(
  db: Queryable,
  checkpoint: { runId: string; stage: string; part: string; attempt: number; state: string },
): Promise<void> {
  await db.query({
    name: 'engine-write-checkpoint',
    text: `
      insert into engine.checkpoints (run_id, stage, part, attempt, state)
      values ($1, $2, $3, $4, $5)
      on conflict (run_id, stage, part) do update
      set attempt = excluded.attempt, state = excluded.state, updated_at = engine.now()`,
    values: [checkpoint.runId, checkpoint.stage, checkpoint.part, checkpoint.attempt, checkpoint.state],
  });
}
