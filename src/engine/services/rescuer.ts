// The rescuer puts the runs of a dead worker back into the queue, with their checkpoints; a run that has taken down too many workers ends as failed.
// It needs only an expired lease; how long a run has been active never matters. It does not charge a loss to a run that was claimed ahead and never
// began, and a run that has committed since its last loss counts from zero. A run whose end is refused, or whose row somebody else has locked, keeps
// no other from being taken back.
import { isErrorCode } from '../../contract/errors/catalogue.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { type Pool, withTransaction } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { Log } from '../../platform/log.ts';
import { type Failures, lossKey, unbegunKey, withoutLosses } from '../retry-policy.ts';
import { endShared, type SharedEnd } from '../shared-runs.ts';
import { type AttemptEnd, endAttempts } from '../sql/end-attempts.ts';
import {
  declareLostWorkers,
  endLostEffects,
  endSilentWorkers,
  type LostLease,
  lockLostLeases,
} from '../sql/rescue-runs.ts';
import type { Elected } from './election.ts';
import { createLoop, type Service } from './loop.ts';

export interface RescuerOptions {
  readonly pool: Pool;
  readonly log: Log;
  readonly everyMs: number;
  readonly election?: Elected;
  readonly onRescued: (runs: number) => void;
}

const BATCH = 500;
const inTheWay: ReadonlySet<string> = new Set(['transaction_conflict', 'statement_cancelled']);

export function createRescuer(options: RescuerOptions): Service {
  return createLoop({
    name: 'rescuer',
    ...options,
    async tick() {
      const rescued = await rescueLostRuns(options.pool, options.log);
      if (rescued > 0) options.onRescued(rescued);
      return rescued === BATCH ? 0 : undefined;
    },
  });
}

/** One round; how many runs were taken back. */
export async function rescueLostRuns(pool: Pool, log: Log): Promise<number> {
  const { found, workers, rescued } = await rescueTogether(pool, log).catch((error: unknown) => {
    if (isAway(error)) throw error;
    log.error({ err: error }, 'lost runs could not be taken back together; each is tried alone');
    return rescueEach(pool, log);
  });
  // What was skipped is under an effects transaction that nobody will commit.
  if (workers.length > 0 && found < BATCH) await endLostEffects(pool, workers, BATCH);
  for (const lease of rescued) {
    log.warn(
      {
        run: lease.run_id,
        pipeline: lease.pipeline,
        stage: lease.stage,
        attempt: lease.attempt,
        worker: lease.worker_id,
        original_started_at: lease.claimed_at,
      },
      'run.taken_over',
    );
  }
  return rescued.length;
}

interface Rescue {
  readonly workers: readonly string[];
  /** Leases that were not locked by somebody. */
  readonly found: number;
  readonly rescued: readonly LostLease[];
}

async function rescueTogether(pool: Pool, log: Log): Promise<Rescue> {
  const { leases, workers } = await withTransaction(pool, async (tx) => {
    const gone = await declareLostWorkers(tx);
    const lost = gone.length > 0 ? await lockLostLeases(tx, gone, BATCH) : [];
    const plain = lost.filter((lease) => !lease.shared);
    if (plain.length > 0) await endAttempts(tx, plain.map(endOfLost));
    await endSilentWorkers(tx);
    failpoint('rescue.before_commit');
    return { leases: lost, workers: gone };
  });
  failpoint('rescue.after_commit');
  const parts = await endEach(
    pool,
    leases.filter((lease) => lease.shared),
    log,
  );
  return { workers, found: leases.length, rescued: [...leases.filter((lease) => !lease.shared), ...parts] };
}

/** The database refuses one of their ends: that run stays where it is, and leases without an owner are told of by doctor, metrics and an alert. */
async function rescueEach(pool: Pool, log: Log): Promise<Rescue> {
  const { leases, workers } = await withTransaction(pool, async (tx) => {
    const gone = await declareLostWorkers(tx);
    const lost = gone.length > 0 ? await lockLostLeases(tx, gone, BATCH) : [];
    await endSilentWorkers(tx);
    failpoint('rescue.before_commit');
    return { leases: lost, workers: gone };
  });
  return { workers, found: leases.length, rescued: await endEach(pool, leases, log) };
}

/** Under the fence of its lease, which others may have taken back meanwhile. Returns those that moved. */
async function endEach(pool: Pool, leases: readonly LostLease[], log: Log): Promise<LostLease[]> {
  const ended: LostLease[] = [];
  for (const lease of leases) {
    try {
      const hasMoved = lease.shared
        ? await withTransaction(pool, (tx) => endShared(tx, partOf(lease)))
        : (await endAttempts(pool, [endOfLost(lease)])).length > 0;
      if (hasMoved) ended.push(lease);
    } catch (error) {
      log.error({ run: lease.run_id, attempt: lease.attempt, err: error }, 'a lost run could not be taken back');
    }
  }
  return ended;
}

/** The database is: then no run can be taken back. Locks and time limits concern some runs, perhaps. */
function isAway(error: unknown): boolean {
  if (!(error instanceof MillraceError) || inTheWay.has(error.code)) return false;
  return error.kind === 'transient' || error.kind === 'config';
}

/** A lost part goes back alone while others are at work on the run. */
function partOf(lease: LostLease): SharedEnd {
  const { run_id: id, part, attempt, worker_id: workerId, stage, pipeline } = lease;
  const run = { id, part, attempt, workerId, stage, pipeline };
  return { run, end: endOfLost(lease), events: [], via: [], isConclusion: false };
}

function endOfLost(lease: LostLease): AttemptEnd {
  const { failures, losses } = chargeLoss(lease);
  const common = {
    runId: lease.run_id,
    part: lease.part,
    attempt: lease.attempt,
    workerId: lease.worker_id,
    commits: null,
    pipeline: lease.pipeline,
    fromStatus: lease.status,
    outcome: 'lost',
    receipt: null,
    failures: JSON.stringify(failures),
    waitReason: null,
    delayMs: null,
    errorKind: 'lost',
  };
  if (lease.cancel_requested_by !== null) {
    const error = new MillraceError('run_cancelled', { run: lease.run_id, by: lease.cancel_requested_by });
    return {
      ...common,
      event: lease.cancel_event,
      outcome: 'cancelled',
      errorKind: error.kind,
      errorCode: error.code,
      errorText: error.message,
    };
  }
  if (losses > 0 && (lease.lost_action === 'fail' || losses >= lease.lost_limit)) {
    // Another process may know the pipeline's own word; this one says what it can.
    const code = lease.lost_code !== null && isErrorCode(lease.lost_code) ? lease.lost_code : 'worker_lost';
    const error = new MillraceError(code, { run: lease.run_id, count: losses });
    return { ...common, event: 'fail', errorCode: error.code, errorText: error.message };
  }
  return { ...common, event: 'release', errorCode: null, errorText: null };
}

/** No losses: it is not known to have begun, and the next attempt will write down that it does. */
function chargeLoss(lease: LostLease): { failures: Failures; losses: number } {
  const { stage, part } = lease;
  if (!lease.began && !lease.progressed) {
    const key = unbegunKey(stage, part);
    return { failures: { ...lease.failures, [key]: (lease.failures[key] ?? 0) + 1 }, losses: 0 };
  }
  const before = lease.progressed ? withoutLosses(lease.failures, stage, part) : lease.failures;
  const losses = (before[lossKey(stage, part)] ?? 0) + 1;
  return { failures: { ...before, [lossKey(stage, part)]: losses }, losses };
}
