// Storing what is staged: plaintiffs first, then the cases, range by range. Each range is one transaction with its checkpoint;
// counts come from what the statements returned and travel in the checkpoint.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { AdaptiveSize } from '../../engine/adaptive.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import type { Queryable } from '../../platform/database.ts';
import { policyMask } from './column-policy.ts';
import type { ImportState, LoadCounts } from './import-state.ts';
import type { JudgmentsInput } from './input.ts';
import {
  adoptEmails,
  foundPlaintiffs,
  type LoadScope,
  linkPhones,
  proposeNamesakes,
  type RowRange,
} from './sql/resolve-plaintiffs.ts';
import { tuneTransaction } from './sql/tune-transaction.ts';
import { type LoadedRow, type UpsertOptions, upsertJudgments } from './sql/upsert-judgments.ts';

type Context = StageContext<JudgmentsInput>;

const RANGE = { name: 'rows per load', initial: 10_000, min: 200, max: 200_000, targetMs: 2_500 } as const;
const MAX_CONFLICTS = 8;

export async function loadRows(context: Context, from: ImportState, initialRows?: number): Promise<ImportState> {
  const total = from.counts.read;
  const initial = initialRows ?? RANGE.initial;
  const size = new AdaptiveSize({ ...RANGE, initial, min: Math.min(RANGE.min, initial), onDecision: context.decide });
  let state = from;
  let conflicts = 0;
  while (state.nextRow < total) {
    context.signal.throwIfAborted();
    const range = { from: state.nextRow, to: Math.min(total, state.nextRow + size.size) };
    const startedAt = performance.now();
    try {
      state = await loadRange(context, range, state);
      size.observe(range.to - range.from, performance.now() - startedAt);
      conflicts = 0;
    } catch (error) {
      if (!isConflict(error) || ++conflicts > MAX_CONFLICTS) throw error;
      size.shrink('another batch wrote the same rows');
    }
    context.progress({ done: state.nextRow, total, unit: 'rows' });
  }
  return state;
}

async function loadRange(context: Context, range: RowRange, from: ImportState): Promise<ImportState> {
  const { run, input } = context;
  const scope = { batchId: run.id, tenantId: run.tenantId };
  const policies = input.policies ?? {};
  const options = {
    sourceFile: input.filename ?? null,
    overwrite: policyMask(policies, 'overwrite'),
    clear: policyMask(policies, 'clear'),
  };
  // The checkpoint depends on what the statements find, so it is finished inside the transaction.
  const checkpoint = { ...from };
  await context.commit(
    async (tx) => {
      await tuneTransaction(tx);
      const loaded = await storeRange(tx, scope, range, options);
      Object.assign(checkpoint, { nextRow: range.to, loaded: added(from.loaded, loaded) });
    },
    { checkpoint },
  );
  return checkpoint;
}

/** Also what the bench runs without the engine around it. */
export async function storeRange(
  tx: Queryable,
  scope: LoadScope,
  range: RowRange,
  options: UpsertOptions,
): Promise<LoadCounts> {
  await adoptEmails(tx, scope, range);
  const byEmail = await foundPlaintiffs(tx, scope, range, true);
  const shared = await linkPhones(tx, scope, range);
  const others = await foundPlaintiffs(tx, scope, range, false);
  const firstIds = [byEmail.first_id, others.first_id].filter((id) => id !== null);
  const namesakes = firstIds.length === 0 ? 0 : await proposeNamesakes(tx, scope, Math.min(...firstIds));
  const outcomes = await upsertJudgments(tx, scope, range, options);
  // Rolled back and judged again: by then the other batch's row is visible.
  if (rowsOf(outcomes, 'contended') > 0) throw new MillraceError('transaction_conflict');
  return {
    inserted: rowsOf(outcomes, 'inserted'),
    updated: rowsOf(outcomes, 'updated'),
    unchanged: rowsOf(outcomes, 'unchanged'),
    plaintiffs: byEmail.founded + others.founded,
    reviews: shared + namesakes,
  };
}

function rowsOf(outcomes: readonly LoadedRow[], outcome: LoadedRow['outcome']): number {
  return outcomes.find((row) => row.outcome === outcome)?.rows ?? 0;
}

function added(one: LoadCounts, two: LoadCounts): LoadCounts {
  return {
    inserted: one.inserted + two.inserted,
    updated: one.updated + two.updated,
    unchanged: one.unchanged + two.unchanged,
    plaintiffs: one.plaintiffs + two.plaintiffs,
    reviews: one.reviews + two.reviews,
  };
}

function isConflict(error: unknown): boolean {
  return error instanceof MillraceError && error.code === 'transaction_conflict';
}
