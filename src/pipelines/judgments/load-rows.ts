// Storing what is staged, range by range: plaintiffs in one transaction, then the cases that name them in another. While the cases
// of a range are being stored, the plaintiffs of the next one are looked up on a second connection: cases are unique within a
// batch, so no range depends on another's. Each transaction has its checkpoint; counts come from what the statements returned.
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
import { type LoadedRow, upsertJudgments } from './sql/upsert-judgments.ts';

type Context = StageContext<JudgmentsInput>;

/** How far the plaintiffs are; always at or ahead of the cases. */
interface PeopleState {
  readonly nextRow: number;
  readonly plaintiffs: number;
  readonly reviews: number;
}

const RANGE = { name: 'rows per load', initial: 10_000, min: 200, max: 100_000, targetMs: 2_000 } as const;
const PEOPLE = 'plaintiffs';
const MAX_CONFLICTS = 8;

export async function loadRows(context: Context, from: ImportState, initialRows?: number): Promise<ImportState> {
  const total = from.counts.read;
  const initial = initialRows ?? RANGE.initial;
  const size = new AdaptiveSize({ ...RANGE, initial, min: Math.min(RANGE.min, initial), onDecision: context.decide });
  let state = from;
  let people = (await context.checkpoint<PeopleState>(PEOPLE)) ?? { nextRow: 0, plaintiffs: 0, reviews: 0 };
  let conflicts = 0;
  while (state.nextRow < total) {
    context.signal.throwIfAborted();
    const to = Math.min(people.nextRow, state.nextRow + size.size);
    const startedAt = performance.now();
    const [cases, ahead] = await Promise.allSettled([
      to > state.nextRow ? storeCases(context, { from: state.nextRow, to }, state) : state,
      people.nextRow < Math.min(total, to + size.size)
        ? resolvePeople(context, { from: people.nextRow, to: Math.min(total, people.nextRow + size.size) }, people)
        : people,
    ]);
    const stored = to - state.nextRow;
    if (ahead.status === 'fulfilled') people = ahead.value;
    if (cases.status === 'fulfilled') {
      state = cases.value;
      size.observe(stored, performance.now() - startedAt);
    }
    const failures = [cases, ahead].flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    for (const failure of failures) if (!isConflict(failure) || conflicts >= MAX_CONFLICTS) throw failure;
    conflicts = failures.length === 0 ? 0 : conflicts + 1;
    if (failures.length > 0) size.shrink('another batch wrote the same rows');
    context.progress({ done: state.nextRow, total, unit: 'rows' });
  }
  return { ...state, loaded: { ...state.loaded, plaintiffs: people.plaintiffs, reviews: people.reviews } };
}

async function resolvePeople(context: Context, range: RowRange, from: PeopleState): Promise<PeopleState> {
  const { run, commit } = context;
  const scope = { batchId: run.id, tenantId: run.tenantId };
  // The checkpoint depends on what the statements find, so it is finished inside the transaction.
  const checkpoint = { ...from };
  await commit(
    async (tx) => {
      await tuneTransaction(tx);
      const found = await recognise(tx, scope, range);
      Object.assign(checkpoint, {
        nextRow: range.to,
        plaintiffs: from.plaintiffs + found.plaintiffs,
        reviews: from.reviews + found.reviews,
      });
    },
    { checkpoint, part: PEOPLE },
  );
  return checkpoint;
}

async function recognise(tx: Queryable, scope: LoadScope, range: RowRange) {
  await adoptEmails(tx, scope, range);
  const byEmail = await foundPlaintiffs(tx, scope, range, true);
  const shared = await linkPhones(tx, scope, range);
  const others = await foundPlaintiffs(tx, scope, range, false);
  const firstIds = [byEmail.first_id, others.first_id].filter((id) => id !== null);
  const namesakes = firstIds.length === 0 ? 0 : await proposeNamesakes(tx, scope, Math.min(...firstIds));
  return { plaintiffs: byEmail.founded + others.founded, reviews: shared + namesakes };
}

async function storeCases(context: Context, range: RowRange, from: ImportState): Promise<ImportState> {
  const { run, input, commit } = context;
  const scope = { batchId: run.id, tenantId: run.tenantId };
  const policies = input.policies ?? {};
  const options = {
    sourceFile: input.filename ?? null,
    overwrite: policyMask(policies, 'overwrite'),
    clear: policyMask(policies, 'clear'),
  };
  const checkpoint = { ...from };
  await commit(
    async (tx) => {
      await tuneTransaction(tx);
      const outcomes = await upsertJudgments(tx, scope, range, options);
      // Rolled back and judged again: by then the other batch's row is visible.
      if (rowsOf(outcomes, 'contended') > 0) throw new MillraceError('transaction_conflict');
      Object.assign(checkpoint, { nextRow: range.to, loaded: withOutcomes(from.loaded, outcomes) });
    },
    { checkpoint },
  );
  return checkpoint;
}

function withOutcomes(loaded: LoadCounts, outcomes: readonly LoadedRow[]): LoadCounts {
  return {
    ...loaded,
    inserted: loaded.inserted + rowsOf(outcomes, 'inserted'),
    updated: loaded.updated + rowsOf(outcomes, 'updated'),
    unchanged: loaded.unchanged + rowsOf(outcomes, 'unchanged'),
  };
}

function rowsOf(outcomes: readonly LoadedRow[], outcome: LoadedRow['outcome']): number {
  return outcomes.find((row) => row.outcome === outcome)?.rows ?? 0;
}

function isConflict(error: unknown): boolean {
  return error instanceof MillraceError && error.code === 'transaction_conflict';
}
