// What a processor hands to the other side, so that it does nothing twice. The key belongs to a try of an item, not to a claim: a worker that dies between the answer and its
// commit leaves the try open, and whoever tries the item next repeats it under the same key. Once an answer is stored, or a person starts the item again, the next try is another.
import { createHash } from 'node:crypto';
import type { ClaimedItem } from '../sql/claim-items.ts';

type Tried = Pick<ClaimedItem, 'id' | 'claims' | 'attempts' | 'errors' | 'not_founds' | 'refusals'>;

export function idempotencyKey(jobId: string, { id, claims, attempts, errors, not_founds, refusals }: Tried): string {
  // Every claim raises both, and starting again takes only the attempts to zero: how many claims there were before the item was last started.
  const start = claims - attempts;
  // Every stored answer after which it is tried again raises one of them.
  const answered = errors + not_founds + refusals;
  return `${jobId}/${id}/${start}.${answered}`;
}

/** Of one request about several items. Of the same items at the same tries it is the same; a key of the first alone would stand for other items after a kill. */
export function sharedKey(keys: readonly string[]): string {
  const [only] = keys;
  if (keys.length === 1 && only !== undefined) return only;
  return createHash('sha256').update(keys.join('\n')).digest('hex');
}
