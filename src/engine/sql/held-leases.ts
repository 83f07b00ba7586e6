import type { Queryable } from '../../platform/database.ts';
import { arrayLiteral } from './array-literal.ts';
import type { FenceKey } from './fence.ts';

export interface BelievedCommits {
  readonly id: string;
  readonly part: string;
  readonly stage: string;
  /** Counts by checkpoint part, as an end names them. */
  readonly commits: string | null;
}

/** Of these attempts, those that still hold their lease, as `run/part`. */
export async function leasesStillHeld(db: Queryable, leases: readonly FenceKey[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ run_id: string; part: string }>({
    name: 'engine-leases-still-held',
    text: `
      select g.run_id, g.part
      from unnest($1::uuid[], $2::text[], $3::int[], $4::uuid[]) as g (run_id, part, attempt, worker_id)
      cross join lateral (
        select from engine.leases l
        where l.run_id = g.run_id and l.part = g.part and l.attempt = g.attempt and (l.worker_id = g.worker_id) is true
        limit 1
      ) held`,
    values: [
      arrayLiteral(leases, (lease) => lease.id),
      arrayLiteral(leases, (lease) => lease.part),
      arrayLiteral(leases, (lease) => lease.attempt),
      arrayLiteral(leases, (lease) => lease.workerId),
    ],
  });
  return new Set(rows.map((row) => `${row.run_id}/${row.part}`));
}

/**
 * Of these attempts, those that believe in commits the database does not have, as `run/part`. Counts change under the lease alone: of an
 * attempt that still holds it, no moment is missed between this statement and the next.
 */
export async function commitsNotStanding(
  db: Queryable,
  believed: readonly BelievedCommits[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ run_id: string; part: string }>({
    name: 'engine-commits-not-standing',
    text: `
      select g.run_id, g.part
      from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[]) as g (run_id, part, stage, commits)
      where exists (
        select from jsonb_each_text(g.commits) e
        where e.value::bigint is distinct from (
          select c.commits from engine.checkpoints c
          where c.run_id = g.run_id and c.stage = g.stage and c.part = e.key
          limit 1
        )
      )`,
    values: [
      arrayLiteral(believed, ({ id }) => id),
      arrayLiteral(believed, ({ part }) => part),
      arrayLiteral(believed, ({ stage }) => stage),
      arrayLiteral(believed, ({ commits }) => commits),
    ],
  });
  return new Set(rows.map((row) => `${row.run_id}/${row.part}`));
}
