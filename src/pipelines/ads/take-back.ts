// A file that is read again: what the run before still owns and the new reading did not take over goes back to what it was before that run,
// or away. Numbers that a later file has restated or confirmed are not the earlier run's any more and stay.
import type { StageContext } from '../../engine/stage-context.ts';
import type { AdsInput } from './input.ts';
import type { PromotionScope } from './sql/promote-dimensions.ts';
import { listOwnedDays, removeUnusedDimensions, takeBackNumbers } from './sql/take-back.ts';

export interface TakenBack {
  readonly days: readonly string[];
  /** For the receipt. */
  readonly counts: { readonly taken_back?: { readonly removed: number; readonly restored: number } };
}

/** In pieces, so that no transaction grows with the file. */
const DAYS_AT_ONCE = 20;

export async function takeBack(context: StageContext<AdsInput>, scope: PromotionScope): Promise<TakenBack> {
  const { rereadOf } = scope;
  if (rereadOf === null) return { days: [], counts: {} };
  const days = await context.commit((tx) => listOwnedDays(tx, scope, rereadOf));
  const counted = (await context.checkpoint<{ removed: number; restored: number }>('taken')) ?? {
    removed: 0,
    restored: 0,
  };
  for (let at = 0; at < days.length; at += DAYS_AT_ONCE) {
    // The checkpoint depends on what the statement finds, so it is finished inside the transaction.
    const checkpoint = { ...counted };
    await context.commit(
      async (tx) => {
        const { removed, restored } = await takeBackNumbers(tx, scope, rereadOf, days.slice(at, at + DAYS_AT_ONCE));
        Object.assign(checkpoint, { removed: counted.removed + removed, restored: counted.restored + restored });
      },
      { checkpoint, part: 'taken' },
    );
    Object.assign(counted, checkpoint);
  }
  await context.commit((tx) => removeUnusedDimensions(tx, scope, rereadOf));
  return { days, counts: { taken_back: counted } };
}
