// What a slice works on next: what silent claimants left and what is due again, then rows that were never tried. Quick items are claimed as a range.
import type { Queryable } from '../../../platform/database.ts';
import { type Claim, type ClaimedItem, claimDue, claimExpired } from '../sql/claim-items.ts';
import {
  advanceJob,
  breakUpSlice,
  claimRows,
  claimSlice,
  giveBackSlice,
  lookBeforeClaim,
  readSlice,
} from '../sql/claim-slices.ts';

/** What one slice has claimed. */
export interface Claimed {
  readonly items: readonly ClaimedItem[];
  /** Where its range begins; undefined: item by item. */
  readonly fromRow: number | undefined;
}

/** From so many items on rows that were never tried are claimed as a range: each is at work for a moment only, which nobody could watch. */
const RANGE_FROM = 256;

const nothing: Claimed = { items: [], fromRow: undefined };

export async function claimWork(
  tx: Queryable,
  claim: Claim,
  { tenantId, runId }: { readonly tenantId: string; readonly runId: string },
): Promise<Claimed | 'paused'> {
  const look = await lookBeforeClaim(tx, claim.jobId);
  if (look.paused_by !== null) return 'paused';
  const isBroken = look.has_silent_slice && (await breakUpSlice(tx, claim.jobId, tenantId, runId)) > 0;
  const expired = look.has_silent_items ? await claimExpired(tx, claim, tenantId, runId) : [];
  const room = claim.limit - expired.length;
  const due = (look.has_due || isBroken) && room > 0 ? await claimDue(tx, { ...claim, limit: room }) : [];
  const some = [...expired, ...due];
  if (some.length === 0) return claimFresh(tx, claim, tenantId);
  // Retries do not keep rows that were never tried waiting.
  const range = some.length < claim.limit && (await advanceJob(tx, claim.jobId, claim.limit - some.length));
  return { items: range ? [...some, ...(await claimRows(tx, claim, range))] : some, fromRow: undefined };
}

/** Rows that have their fate already, as copies have, are passed over. */
async function claimFresh(tx: Queryable, claim: Claim, tenantId: string): Promise<Claimed> {
  for (;;) {
    if (claim.limit < RANGE_FROM) {
      const range = await advanceJob(tx, claim.jobId, claim.limit);
      if (range === undefined) return nothing;
      const items = await claimRows(tx, claim, range);
      if (items.length > 0) return { items, fromRow: undefined };
      continue;
    }
    const range = await claimSlice(tx, claim, tenantId);
    if (range === undefined) return nothing;
    const items = await readSlice(tx, claim.jobId, range);
    if (items.length > 0) return { items, fromRow: range.from_row };
    await giveBackSlice(tx, claim.jobId, claim.worker, range.from_row);
  }
}
