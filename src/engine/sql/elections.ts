// The row of an election. A process takes or renews it for a while if the row has expired or is its own.
import type { Queryable } from '../../platform/database.ts';

export interface Candidate {
  readonly name: string;
  readonly holder: string;
  readonly host: string;
  readonly pid: number;
}

export interface Outcome {
  readonly is_elected: boolean;
  /** Who had it before this look; null: nobody. */
  readonly holder: string | null;
  readonly host: string | null;
  readonly pid: number | null;
}

/** `dead`: a holder that is known to be gone. A row that expires later than any could was written before the clock was put back. */
export async function standForElection(
  db: Queryable,
  { name, holder, host, pid }: Candidate,
  ttlMs: number,
  dead: string | null,
): Promise<Outcome> {
  const { rows } = await db.query<Outcome>({
    name: 'engine-stand-for-election',
    text: `
      with won as (
        insert into engine.elections as e (name, holder, host, pid, expires_at)
        values ($1, $2, $3, $4, engine.now() + $5 * interval '1 millisecond')
        on conflict (name) do update
          set holder = excluded.holder, host = excluded.host, pid = excluded.pid, expires_at = excluded.expires_at
          where e.holder = excluded.holder or e.holder = $6
             or e.expires_at <= engine.now() or e.expires_at > engine.now() + 2 * $5 * interval '1 millisecond'
        returning 1
      )
      select exists (select from won) as is_elected, e.holder, e.host, e.pid
      from (select) as one left join engine.elections e on e.name = $1`,
    values: [name, holder, host, pid, ttlMs, dead],
  });
  return rows[0] ?? { is_elected: false, holder: null, host: null, pid: null };
}

export async function resign(db: Queryable, name: string, holder: string): Promise<void> {
  await db.query({
    name: 'engine-resign',
    text: `delete from engine.elections where name = $1 and holder = $2`,
    values: [name, holder],
  });
}
