// Counts an attempt for each subject (hashes of account, address, both) and returns the new counts. Counting comes before the
// password is looked at, so any number of simultaneous attempts over any number of processes is limited alike.
import type { Queryable } from '../../platform/database.ts';

export interface AttemptRow {
  readonly subject: Buffer;
  readonly attempts: number;
  readonly seconds_left: number;
}

/** Rows are locked in the order of their subjects, so two sign-ins cannot deadlock. */
export async function countLoginAttempts(
  db: Queryable,
  subjects: readonly Uint8Array[],
  windowSeconds: number,
): Promise<AttemptRow[]> {
  const { rows } = await db.query<AttemptRow>({
    name: 'access-count-login-attempts',
    text: `
      insert into public.login_attempts as a (subject, attempts, window_started_at)
      select subject, 1, engine.now() from unnest($1::bytea[]) as given (subject) order by subject
      on conflict (subject) do update set
        attempts = case when a.window_started_at <= engine.now() - make_interval(secs => $2) then 1 else a.attempts + 1 end,
        window_started_at = case
          when a.window_started_at <= engine.now() - make_interval(secs => $2) then engine.now()
          else a.window_started_at
        end
      returning subject, attempts,
        greatest(1, ceil(extract(epoch from window_started_at - engine.now()) + $2))::int as seconds_left`,
    values: [subjects.map((subject) => Buffer.from(subject)), windowSeconds],
  });
  return rows;
}

/** After a right password: the account starts again from zero. */
export async function forgetLoginAttempts(db: Queryable, subjects: readonly Uint8Array[]): Promise<void> {
  await db.query({
    name: 'access-forget-login-attempts',
    text: 'delete from public.login_attempts where subject = any ($1::bytea[])',
    values: [subjects.map((subject) => Buffer.from(subject))],
  });
}

export async function pruneLoginAttempts(db: Queryable, olderThanSeconds: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'access-prune-login-attempts',
    text: `
      delete from public.login_attempts
      where subject = any (array(
        select subject from public.login_attempts
        where window_started_at < (select engine.now() - make_interval(secs => $1))
        limit $2))`,
    values: [olderThanSeconds, limit],
  });
  return rowCount ?? 0;
}
