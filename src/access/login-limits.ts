// How often someone may try to sign in. Three counters per attempt, in Postgres, so that they hold over all processes:
// the account from this address (tight, stops guessing), the account from anywhere (loose, so that a stranger cannot lock a person
// out from one address), and the address (stops trying many accounts).
import { createHmac } from 'node:crypto';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Queryable } from '../platform/database.ts';
import { countLoginAttempts, forgetLoginAttempts } from './sql/count-login-attempts.ts';

export interface LoginLimits {
  readonly windowSeconds: number;
  readonly perAccountAndAddress: number;
  readonly perAccount: number;
  readonly perAddress: number;
}

export const defaultLoginLimits: LoginLimits = {
  windowSeconds: 900,
  perAccountAndAddress: 10,
  perAccount: 50,
  perAddress: 100,
};

export interface Attempt {
  readonly email: string;
  readonly ip: string;
}

/** Counts this attempt; throws `login_limited` with the time to wait when one of its counters is full. */
export async function admitAttempt(
  db: Queryable,
  secret: Uint8Array,
  attempt: Attempt,
  limits: LoginLimits,
): Promise<void> {
  const subjects = subjectsOf(secret, attempt);
  const allowed = new Map([
    [subjects.both.toString('hex'), limits.perAccountAndAddress],
    [subjects.account.toString('hex'), limits.perAccount],
    [subjects.address.toString('hex'), limits.perAddress],
  ]);
  const counts = await countLoginAttempts(db, Object.values(subjects), limits.windowSeconds);
  const full = counts.filter(({ subject, attempts }) => attempts > (allowed.get(subject.toString('hex')) ?? 0));
  if (full.length === 0) return;
  const seconds = Math.max(...full.map((row) => row.seconds_left));
  throw new MillraceError('login_limited', { seconds }, { retryAfterMs: seconds * 1000 });
}

/** The address keeps its count: one right password must not open the way for guessing others. */
export async function clearAttempts(db: Queryable, secret: Uint8Array, attempt: Attempt): Promise<void> {
  const { both, account } = subjectsOf(secret, attempt);
  await forgetLoginAttempts(db, [both, account]);
}

function subjectsOf(secret: Uint8Array, { email, ip }: Attempt) {
  const account = email.trim().toLowerCase();
  const keyed = (...parts: string[]) => createHmac('sha256', secret).update(JSON.stringify(parts)).digest();
  return { both: keyed('both', account, ip), account: keyed('account', account), address: keyed('address', ip) };
}
