// Whether a request carries a token that both sides share. Compared by hash, so that neither its letters nor its length can be timed.
import { createHash, timingSafeEqual } from 'node:crypto';

export function hasBearer(authorization: string | undefined, token: string | undefined): boolean {
  if (token === undefined || authorization === undefined) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization.replace(/^Bearer +/i, '')), digest(token));
}
