// Passwords: bcrypt at cost 12, computed on the thread pool and never on the event loop. At most a few at once, because each
// takes a quarter of a second of a core: a flood of sign-ins must not starve file and DNS work on the same pool.
import { randomInt } from 'node:crypto';
import { hash, verify } from '@node-rs/bcrypt';
import { MillraceError } from '../contract/errors/millrace-error.ts';

const BCRYPT_COST = 12;
const MAX_BYTES = 72;
const MAX_AT_ONCE = 2;
const MAX_WAITING = 50;

let busy = 0;
const waiting: (() => void)[] = [];
let decoy: Promise<string> | undefined;

export async function hashPassword(password: string): Promise<string> {
  requireUsable(password);
  return onThreadPool(() => hash(password, { cost: BCRYPT_COST }));
}

/** Compares in the same time whether there is an account or not: without one, against a hash nobody has the password of. */
export async function checkPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const expected = passwordHash ?? (await decoyHash());
  const given = Buffer.byteLength(password) > MAX_BYTES ? '' : password;
  const matches = await onThreadPool(() => verify(given, expected));
  return matches && passwordHash !== undefined && given !== '';
}

/** A one-time password that can be read aloud: 5 groups of 4 from 31 unmistakable characters, 99 bits. */
export function makeOneTimePassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
  const group = () => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return Array.from({ length: 5 }, group).join('-');
}

/** Computed once, at start, so that the first unknown account does not take longer than the others. */
function decoyHash(): Promise<string> {
  decoy ??= onThreadPool(() => hash(makeOneTimePassword(), { cost: BCRYPT_COST }));
  return decoy;
}

function requireUsable(password: string): void {
  if (password.length < 12) throw new MillraceError('password_weak', { reason: 'it has fewer than 12 characters' });
  if (Buffer.byteLength(password) > MAX_BYTES)
    throw new MillraceError('password_weak', { reason: `it has more than ${MAX_BYTES} bytes` });
}

async function onThreadPool<T>(work: () => Promise<T>): Promise<T> {
  if (busy >= MAX_AT_ONCE) {
    if (waiting.length >= MAX_WAITING) throw new MillraceError('overloaded', { seconds: 5 }, { retryAfterMs: 5_000 });
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else busy += 1;
  try {
    return await work();
  } finally {
    // The slot goes straight to the next that waits.
    const next = waiting.shift();
    if (next) next();
    else busy -= 1;
  }
}
