// How the parts of a shared run end. The run stays active while other parts are; the last part ends the run, once, and a lock on the run decides which
// part is the last. A part that is lost, released or retried goes back alone. When no part is active any more, the whole run goes back: the next claim
// offers all its parts again, and each continues at its checkpoint. Parts that had ended find nothing to do.
import { type Pool, type Queryable, withTransaction } from '../platform/database.ts';
import { failpoint } from '../platform/failpoints.ts';
import { endByRelease, plainEnd } from './failure.ts';
import { type Failures, lossKey, unbegunKey } from './retry-policy.ts';
import type { ClaimedRow } from './sql/claim-runs.ts';
import { type AttemptEnd, type EndedEvent, endAttempts } from './sql/end-attempts.ts';
import {
  endPartAlone,
  forgetParts,
  lockSharedRun,
  type PartClaimant,
  type PartsLeft,
  readPartsLeft,
  takeNextPart,
} from './sql/parts.ts';
import { passThrough } from './sql/pass-through.ts';
import type { StageRun } from './stage-context.ts';

/** Part '' is the first; a run is claimed as its first part. */
export function partNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? '' : String(index)));
}

export function partIndex(part: string): number {
  return part === '' ? 0 : Number(part);
}

/** One process may hold several parts of a run. */
export function heldKey(runId: string, part = ''): string {
  return part === '' ? runId : `${runId}/${part}`;
}

/** Where a part keeps a checkpoint: every part has names of its own. */
export function checkpointPart(part: string, name: string): string {
  if (part === '') return name;
  return name === '' ? part : `${part}/${name}`;
}

export type PartAnswer =
  /** Others are at work. */
  | 'ended'
  /** The run has ended by another part's failure, or waits until what is left may be tried again. */
  | 'over'
  /** Nobody else is left: the run is to be concluded under the same lease. */
  | 'last'
  /** The run is no longer ours, or its lease is locked at the moment. */
  | 'gone'
  /** The database has not the commits of this execution. */
  | 'rewound'
  /** Nobody else is at work, but parts are open: this worker goes on with the next one. */
  | { readonly next: ClaimedRow };

/** The work of a part is done. */
export function finishPart(pool: Pool, run: StageRun, commits: string | null, by: PartClaimant): Promise<PartAnswer> {
  return withTransaction(pool, async (tx): Promise<PartAnswer> => {
    if (!(await lockSharedRun(tx, run))) return 'gone';
    failpoint('finish.before_commit');
    const left = await readPartsLeft(tx, run, commits, null);
    if (!left.committed) return 'rewound';
    const done = { ...plainEnd(run, 'part', 'part_done'), failures: JSON.stringify(left.failures) };
    if (left.others > 0) {
      await endPartAlone(tx, run, { state: 'ended', delayMs: 0, failure: null, end: done });
      return 'ended';
    }
    if (left.failure) {
      const { outcome } = done;
      await endWhole(tx, run, { ...left.failure, ...holderOf(run), outcome, failures: done.failures }, []);
      return 'over';
    }
    if (left.open === 0) return 'last';
    if (left.open_in_ms > 0) {
      // What is left is to be tried later; until then the whole run waits.
      const waitReason = left.open_reason === null ? null : JSON.stringify(left.open_reason);
      await endWhole(tx, run, { ...endByRelease(run), delayMs: left.open_in_ms, waitReason }, []);
      return 'over';
    }
    await endPartAlone(tx, run, { state: 'ended', delayMs: 0, failure: null, end: done });
    const next = await takeNextPart(tx, by, run.id);
    return next ? { next } : 'ended';
  });
}

export type SharedRun = Pick<StageRun, 'id' | 'part' | 'attempt' | 'workerId' | 'stage' | 'pipeline'>;

export interface SharedEnd {
  readonly run: SharedRun;
  readonly end: AttemptEnd;
  readonly events: readonly EndedEvent[];
  readonly via: readonly string[];
  /** The last part has concluded the run: this is how it ends. */
  readonly isConclusion: boolean;
}

/** Any other end of a part's attempt, and the end of the run. False: the lease is gone or locked, and nothing has moved. */
export async function endShared(tx: Queryable, ending: SharedEnd): Promise<boolean> {
  const { run, end } = ending;
  if (!(await lockSharedRun(tx, run))) return false;
  const left = await readPartsLeft(tx, run, end.commits, end);
  if (!left.committed) return false;
  const failures = end.failures === null ? left.failures : mergeFailures(left.failures, end.failures, run);
  const counted = { ...end, failures: JSON.stringify(failures) };
  if (ending.isConclusion) return endWhole(tx, run, counted, ending.events, ending.via);
  const isFinal = left.to_phase !== 'waiting';
  if (left.others === 0) {
    const { outcome, failures: all } = counted;
    const first = left.failure && { ...left.failure, ...holderOf(run), outcome, failures: all };
    return endWhole(tx, run, first ?? counted, []);
  }
  await endPartAlone(tx, run, {
    state: isFinal || left.failure ? 'ended' : 'open',
    delayMs: end.delayMs ?? 0,
    failure: isFinal && !left.failure ? JSON.stringify(counted) : null,
    end: counted,
  });
  return true;
}

async function endWhole(
  tx: Queryable,
  run: SharedRun,
  end: AttemptEnd,
  events: readonly EndedEvent[],
  via: readonly string[] = [],
): Promise<boolean> {
  let fromStatus = end.fromStatus;
  for (const event of via) {
    const next = await passThrough(tx, run, { fromStatus, event });
    if (next === undefined) return false;
    fromStatus = next;
  }
  await forgetParts(tx, run.id);
  return (await endAttempts(tx, [{ ...end, fromStatus, commits: null }], events)).length === 1;
}

function holderOf(run: SharedRun): Pick<AttemptEnd, 'runId' | 'part' | 'attempt' | 'workerId'> {
  return { runId: run.id, part: run.part, attempt: run.attempt, workerId: run.workerId };
}

/** Other parts may have counted since this one was claimed: of losses, each part counts its own. */
function mergeFailures(current: PartsLeft['failures'], counted: string, run: SharedRun): Failures {
  const own = [lossKey(run.stage, run.part), unbegunKey(run.stage, run.part)];
  const kept = Object.entries(current).filter(([key]) => !own.includes(key));
  const news = Object.entries(JSON.parse(counted) as Failures).filter(
    ([key]) => own.includes(key) || !/^(lost|unbegun):/.test(key),
  );
  return Object.fromEntries([...kept, ...news]);
}
