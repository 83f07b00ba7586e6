// How far a stage got, and how often it has committed. Always written in the transaction of the effects it covers.
import type { Queryable } from '../../platform/database.ts';

export interface StoredCheckpoint {
  readonly state: unknown;
  readonly commits: number;
}

/** Undefined: the stage (or part) has committed nothing yet. Its state is null when it has, without a checkpoint. */
export async function readCommitted(
  db: Queryable,
  runId: string,
  stage: string,
  part: string,
): Promise<StoredCheckpoint | undefined> {
  const { rows } = await db.query<StoredCheckpoint>({
    name: 'engine-read-checkpoint',
    text: `select state, commits from engine.checkpoints where run_id = $1 and stage = $2 and part = $3`,
    values: [runId, stage, part],
  });
  return rows[0];
}

export async function readCheckpoint(db: Queryable, runId: string, stage: string, part: string): Promise<unknown> {
  return (await readCommitted(db, runId, stage, part))?.state ?? undefined;
}

export interface RaisedCheckpoint {
  readonly runId: string;
  readonly stage: string;
  readonly part: string;
  readonly attempt: number;
  /** Null leaves the state as it is. */
  readonly state: string | null;
  /** What must have been counted before; null when nobody knows yet. */
  readonly atLeast: number | null;
  readonly atMost: number | null;
}

/** Counts this commit and stores its checkpoint. Its number, or undefined when the count before it is not what it should be. */
export async function raiseCommits(db: Queryable, checkpoint: RaisedCheckpoint): Promise<number | undefined> {
  const { rows } = await db.query<{ commits: number }>({
    name: 'engine-raise-commits',
    text: `
      insert into engine.checkpoints as c (run_id, stage, part, attempt, state, commits)
      select $1, $2, $3, $4, $5::jsonb, 1
      where coalesce($6::bigint, 0) = 0
         or exists (select from engine.checkpoints where run_id = $1 and stage = $2 and part = $3)
      on conflict (run_id, stage, part) do update
      set attempt = excluded.attempt, state = coalesce(excluded.state, c.state), commits = c.commits + 1, updated_at = engine.now()
      where c.commits between coalesce($6::bigint, c.commits) and coalesce($7::bigint, c.commits)
      returning commits`,
    values: [
      checkpoint.runId,
      checkpoint.stage,
      checkpoint.part,
      checkpoint.attempt,
      checkpoint.state,
      checkpoint.atLeast,
      checkpoint.atMost,
    ],
  });
  return rows[0]?.commits;
}
