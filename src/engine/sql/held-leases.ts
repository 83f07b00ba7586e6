import type { Queryable } from '../../platform/database.ts';
import { arrayLiteral } from './array-literal.ts';
import type { FenceKey } from './fence.ts';

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
