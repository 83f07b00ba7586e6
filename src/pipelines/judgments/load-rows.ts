// Storing what is staged: plaintiffs first, then the cases that name them. A large batch is stored in lanes, each with a checkpoint of
// its own: cases are unique within a batch, so lanes never wait for each other. Plaintiffs are not unique and are recognised in the order
// of the rows, one lane after the other; meanwhile the lanes before store their cases, and once all plaintiffs are known, two lanes do.
// So two connections are at work nearly to the end. Every transaction has its checkpoint; counts come from what the statements returned.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { AdaptiveSize } from '../../engine/adaptive.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import type { Queryable } from '../../platform/database.ts';
import { isTooLong } from '../../platform/database-errors.ts';
import { policyMask } from './column-policy.ts';
import type { ImportState, LaneState, LoadCounts } from './import-state.ts';
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

interface Work {
  readonly context: Context;
  readonly people: AdaptiveSize;
  readonly cases: AdaptiveSize;
  readonly note: (lane: LaneState) => void;
}

const PEOPLE = { name: 'rows per look-up of plaintiffs', initial: 40_000, min: 200, max: 200_000, targetMs: 1_500 };
const CASES = { name: 'rows per load', initial: 20_000, min: 200, max: 100_000, targetMs: 2_000 };
/** Below this a second connection costs more than it brings. */
const LANES_FROM = 20_000;
/** The smaller the lanes, the sooner the first can be stored and the less is left to one connection at the end. */
const LANE_ROWS = 25_000;
const MAX_LANES = 40;
const MAX_CONFLICTS = 8;

interface LoadSizes {
  readonly loadRows?: number;
  readonly laneRows?: number;
}

export async function loadRows(context: Context, from: ImportState, sizes: LoadSizes): Promise<ImportState> {
  const total = from.counts.read;
  const lanes = await openLanes(context, total, sizes.laneRows ?? usualLaneRows(total));
  const left = new Map(lanes.map(({ part, nextRow, to }) => [part, to - nextRow]));
  const note = ({ part, nextRow, to }: LaneState) => {
    left.set(part, to - nextRow);
    context.progress({ done: total - [...left.values()].reduce((sum, rows) => sum + rows, 0), total, unit: 'rows' });
  };
  const size = (of: typeof CASES) => {
    const initial = sizes.loadRows ?? of.initial;
    return new AdaptiveSize({ ...of, initial, min: Math.min(of.min, initial), onDecision: context.decide });
  };
  const stored = await storeLanes({ context, people: size(PEOPLE), cases: size(CASES), note }, lanes);
  return { ...from, loaded: together(stored) };
}

/** Where each lane stands. Lanes that an earlier attempt began keep their size. */
async function openLanes(context: Context, total: number, laneRows: number): Promise<LaneState[]> {
  const begun = await context.checkpoint<LaneState>('lane-1');
  const rows = Math.max(begun?.to ?? laneRows, 1);
  const lanes: LaneState[] = [];
  for (let first = 0; first === 0 || first < total; first += rows) {
    const part = `lane-${lanes.length + 1}`;
    lanes.push((await context.checkpoint<LaneState>(part)) ?? freshLane(part, first, Math.min(first + rows, total)));
  }
  return lanes;
}

function usualLaneRows(total: number): number {
  if (total < LANES_FROM) return total;
  return Math.max(Math.min(LANE_ROWS, Math.ceil(total / 2)), Math.ceil(total / MAX_LANES));
}

function freshLane(part: string, first: number, to: number): LaneState {
  const nothing = { inserted: 0, updated: 0, unchanged: 0, plaintiffs: 0, reviews: 0 };
  return { part, nextPerson: first, nextRow: first, to, ...nothing };
}

async function storeLanes(work: Work, lanes: readonly LaneState[]): Promise<LaneState[]> {
  const recognised: Promise<LaneState>[] = [];
  for (const lane of lanes) {
    const before = recognised.at(-1) ?? Promise.resolve();
    recognised.push(before.then(() => recogniseLane(work, lane)));
  }
  const stored: LaneState[] = [];
  let next = 0;
  const store = async () => {
    while (next < lanes.length) {
      const at = next++;
      try {
        stored[at] = await storeLane(work, await (recognised[at] as Promise<LaneState>));
      } catch (error) {
        next = lanes.length;
        throw error;
      }
    }
  };
  // All are awaited to their end, also when one fails: no transaction of this attempt outlives it.
  const ended = await Promise.allSettled([store(), Promise.all(recognised).then(store), ...recognised]);
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
  return stored;
}

function recogniseLane(work: Work, from: LaneState): Promise<LaneState> {
  const goesOn = ({ nextPerson, to }: LaneState) => (nextPerson < to ? { from: nextPerson, to } : null);
  return inRanges(work, work.people, from, goesOn, recogniseRange);
}

function storeLane(work: Work, from: LaneState): Promise<LaneState> {
  const goesOn = ({ nextRow, to }: LaneState) => (nextRow < to ? { from: nextRow, to } : null);
  return inRanges(work, work.cases, from, goesOn, storeRange);
}

/** Range by range; what lost against another batch is repeated smaller, and its rows are never counted as bad for it. */
async function inRanges(
  { context, note }: Work,
  size: AdaptiveSize,
  from: LaneState,
  goesOn: (lane: LaneState) => RowRange | null,
  step: (context: Context, range: RowRange, lane: LaneState) => Promise<LaneState>,
): Promise<LaneState> {
  let lane = from;
  let conflicts = 0;
  for (let left = goesOn(lane); left !== null; left = goesOn(lane)) {
    context.signal.throwIfAborted();
    const range = { from: left.from, to: Math.min(left.to, left.from + size.size) };
    const startedAt = performance.now();
    try {
      lane = await step(context, range, lane);
      size.observe(range.to - range.from, performance.now() - startedAt);
      conflicts = 0;
    } catch (error) {
      if (isTooLong(error)) {
        if (!size.shrink('a statement ran into its limit')) throw error;
      } else {
        if (!isConflict(error) || ++conflicts > MAX_CONFLICTS) throw error;
        size.shrink('another batch wrote the same rows');
      }
    }
    note(lane);
  }
  return lane;
}

async function recogniseRange(context: Context, range: RowRange, from: LaneState): Promise<LaneState> {
  const { run, commit } = context;
  const scope = { batchId: run.id, tenantId: run.tenantId };
  // The checkpoint depends on what the statements find, so it is finished inside the transaction.
  const checkpoint = { ...from };
  await commit(
    async (tx) => {
      await tuneTransaction(tx);
      const found = await recognise(tx, scope, range);
      Object.assign(checkpoint, {
        nextPerson: range.to,
        plaintiffs: from.plaintiffs + found.plaintiffs,
        reviews: from.reviews + found.reviews,
      });
    },
    { checkpoint, part: from.part },
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

async function storeRange(context: Context, range: RowRange, from: LaneState): Promise<LaneState> {
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
      Object.assign(checkpoint, {
        nextRow: range.to,
        inserted: from.inserted + rowsOf(outcomes, 'inserted'),
        updated: from.updated + rowsOf(outcomes, 'updated'),
        unchanged: from.unchanged + rowsOf(outcomes, 'unchanged'),
      });
    },
    { checkpoint, part: from.part },
  );
  return checkpoint;
}

function together(lanes: readonly LaneState[]): LoadCounts {
  const sum = (of: (lane: LaneState) => number) => lanes.reduce((total, lane) => total + of(lane), 0);
  return {
    inserted: sum(({ inserted }) => inserted),
    updated: sum(({ updated }) => updated),
    unchanged: sum(({ unchanged }) => unchanged),
    plaintiffs: sum(({ plaintiffs }) => plaintiffs),
    reviews: sum(({ reviews }) => reviews),
  };
}

function rowsOf(outcomes: readonly LoadedRow[], outcome: LoadedRow['outcome']): number {
  return outcomes.find((row) => row.outcome === outcome)?.rows ?? 0;
}

function isConflict(error: unknown): boolean {
  return error instanceof MillraceError && error.code === 'transaction_conflict';
}
