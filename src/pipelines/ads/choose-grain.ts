// Chooses between numbers of several grains for one day. An upload declares its days before it writes; after its last row it marks the fullest grain of
// each day that has several. Until then the former numbers count, so that half an upload replaces nothing.
import type { StageContext } from '../../engine/stage-context.ts';
import { type Grain, grainKey, grainName, levels } from './grain.ts';
import type { AdsInput } from './input.ts';
import {
  chooseWinners,
  insertToldDays,
  listContestedDays,
  listOutrankedDays,
  listStagedDays,
  listUntoldDays,
  lockGrains,
} from './sql/daily-grains.ts';
import type { PromotionScope } from './sql/promote-dimensions.ts';

type Context = StageContext<AdsInput>;

/** Days named on a receipt; beyond it stands their number. */
const MAX_DAYS_NAMED = 100;

/** Says which days the upload tells, and returns them. Periods are no days and meet no other grain. */
export async function announceDays(context: Context, scope: PromotionScope, grain: Grain): Promise<string[]> {
  if (grain.isPeriod) return [];
  return context.commit(async (tx) => {
    const days = await listStagedDays(tx, scope.uploadId);
    if ((await listUntoldDays(tx, scope, days, grainKey(grain))).length > 0) {
      await lockGrains(tx, scope);
      await insertToldDays(tx, scope, days, grainKey(grain));
    }
    return days;
  });
}

/** What the receipt says of the upload's grain. */
export interface ChosenGrain {
  readonly grain: string;
  /** Days of which a fuller grain is known, so that nothing of this upload counts on them. */
  readonly outranked_days?: readonly string[];
  readonly outranked_day_count?: number;
}

export async function chooseGrain(
  context: Context,
  scope: PromotionScope,
  grain: Grain,
  days: readonly string[],
): Promise<ChosenGrain> {
  const outranked = await chooseDays(context, scope, days, grain);
  const named = { outranked_days: outranked.slice(0, MAX_DAYS_NAMED), outranked_day_count: outranked.length };
  return { grain: grainName(grain), ...(outranked.length === 0 ? {} : named) };
}

/** Marks what counts on the days that several grains tell; of them, those on which nothing of the given grain counts. */
export function chooseDays(
  context: Context,
  scope: PromotionScope,
  days: readonly string[],
  grain?: Grain,
): Promise<string[]> {
  return context.commit(async (tx) => {
    if ((await listContestedDays(tx, scope, days)).length === 0) return [];
    await lockGrains(tx, scope);
    const contested = await listContestedDays(tx, scope, days);
    await chooseWinners(tx, scope, contested);
    return grain === undefined ? [] : listOutrankedDays(tx, scope, contested, levels.indexOf(grain.level));
  });
}
