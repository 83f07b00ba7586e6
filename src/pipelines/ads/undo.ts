// Undoing an upload: a run of its own takes back what the upload stored and nobody has restated or confirmed since. A number that replaced
// an earlier one becomes that again, the others are removed. Rows that were refused, replays of them and the file itself stay. It goes on
// where it was killed; afterwards the days are chosen again. `reread` brings an undone upload back.
import type { RunFacts, StageOutcome } from '../../engine/pipeline.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import type { Receipt } from '../../engine/receipt.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import type { UndoTools } from '../../http/pipeline-parts.ts';
import type { Queryable } from '../../platform/database.ts';
import { chooseDays } from './choose-grain.ts';
import { ingestionComplete } from './event.ts';
import { AdsInput } from './input.ts';
import { promotionScope } from './promotion-scope.ts';
import type { PromotionScope } from './sql/promote-dimensions.ts';
import { listOwnedDays, removeUnusedDimensions, takeBackNumbers } from './sql/take-back.ts';
import { countOwnedNumbers, insertUndoneUpload } from './sql/undone-uploads.ts';

type Context = StageContext<AdsInput>;

interface UndoState {
  readonly days: readonly string[];
  /** Of the days, how many are done. */
  readonly done: number;
  readonly removed: number;
  readonly restored: number;
}

/** In pieces, so that no transaction grows with the upload. */
const DAYS_AT_ONCE = 20;

export async function undoUpload(context: Context, uploadId: string): Promise<StageOutcome> {
  const scope = promotionScope(context, { part: null, rereadOf: null });
  let state = (await context.checkpoint<UndoState>()) ?? (await begin(context, scope, uploadId));
  while (state.done < state.days.length) state = await takeBackSome(context, scope, uploadId, state);
  await context.commit((tx) => removeUnusedDimensions(tx, scope, uploadId));
  await chooseDays(context, scope, state.days);
  const { removed, restored, days } = state;
  const read = removed + restored;
  const metrics = { ...nothingPromoted, total_rows: read, daily_metrics_upserted: restored };
  return {
    on: 'complete',
    receipt: { read, outcomes: { removed, restored } },
    emit: [ingestionComplete(context.run, context.input, 'completed', metrics, days)],
  };
}

const nothingPromoted = {
  promoted_rows: 0,
  failed_rows: 0,
  campaigns_upserted: 0,
  ad_sets_upserted: 0,
  ads_upserted: 0,
};

async function begin(context: Context, scope: PromotionScope, uploadId: string): Promise<UndoState> {
  // The checkpoint depends on what the statement finds, so it is finished inside the transaction.
  const state = { days: [] as string[], done: 0, removed: 0, restored: 0 };
  await context.commit(
    async (tx) => {
      await insertUndoneUpload(tx, { workspaceId: scope.workspaceId, uploadId, by: scope.uploadId });
      state.days = await listOwnedDays(tx, scope, uploadId);
    },
    { checkpoint: state },
  );
  return state;
}

async function takeBackSome(
  context: Context,
  scope: PromotionScope,
  uploadId: string,
  { days, done, removed, restored }: UndoState,
): Promise<UndoState> {
  const state = { days, done: done + DAYS_AT_ONCE, removed, restored };
  await context.commit(
    async (tx) => {
      const taken = await takeBackNumbers(tx, scope, uploadId, days.slice(done, state.done));
      Object.assign(state, { removed: removed + taken.removed, restored: restored + taken.restored });
    },
    { checkpoint: state },
  );
  context.progress({ done: Math.min(state.done, days.length), total: days.length, unit: 'days' });
  return state;
}

/** What an undo took back cannot be counted again once it is gone; what it should have taken back and is still there can. */
export async function recountUndo(run: RunFacts<AdsInput>, tx: Queryable, uploadId: string): Promise<Receipt> {
  const { removed, restored } = await countOwnedNumbers(tx, {
    workspaceId: run.tenantId,
    uploadId,
    reportedAt: run.input.reported_at,
  });
  const { read = 0, outcomes = {} } = run.receipt ?? {};
  const left = removed + restored;
  return { read: read + left, outcomes: { ...outcomes, ...(left === 0 ? {} : { lost: left }) } };
}

/** For the routes that belong to no pipeline. */
export const adsUndo: UndoTools = {
  mayUndo: ({ input }) => AdsInput.parse(input).undo_of === undefined,
  preview: (db, run) =>
    countOwnedNumbers(db, { workspaceId: run.tenant_id, uploadId: run.id, reportedAt: reportedAtOf(run) }),
  inputOf(run) {
    const { platform, source, client_id, filename, reported_at } = AdsInput.parse(run.input);
    return { platform, source, client_id, filename, reported_at, undo_of: run.id };
  },
};

function reportedAtOf({ input }: ShownRun): string {
  return AdsInput.parse(input).reported_at;
}
