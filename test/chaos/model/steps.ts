// The ordinary steps of the model test: what workers, services and people do when nothing is in doubt.
import { MillraceError } from '../../../src/contract/errors/millrace-error.ts';
import * as actions from '../../../src/engine/actions.ts';
import { enqueue } from '../../../src/engine/enqueue.ts';
import { endByError, endByRelease, plainEnd } from '../../../src/engine/failure.ts';
import { rescueLostRuns } from '../../../src/engine/services/rescuer.ts';
import { pauseLane, unpauseLane } from '../../../src/engine/sql/act-on-runs.ts';
import type { ClaimedRow } from '../../../src/engine/sql/claim-runs.ts';
import { endAttempts } from '../../../src/engine/sql/end-attempts.ts';
import { lockLease } from '../../../src/engine/sql/fence.ts';
import { moveDueRuns } from '../../../src/engine/sql/move-due-runs.ts';
import { registerWorker, renewWorker } from '../../../src/engine/sql/workers.ts';
import { withClient, withTransaction } from '../../../src/platform/database.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { LEASE_MS, phaseOf, stageOf } from './machine.ts';
import { isSuspect, type Model, type ModelRun, type ModelWorker } from './model.ts';
import {
  type Act,
  believed,
  codeOf,
  difference,
  hasItsCommits,
  noteClaimed,
  pick,
  runOf,
  type Scene,
} from './scene.ts';

/** Of a worker that has nothing to tell. */
const quiet = { lastEndAgoMs: null, endsWaiting: 0, oldestEndMs: null };
const by = { by: 'tester' };

export const ordinarySteps = {
  enqueue: async ({ model, world, tenants }, [a, b, c]) => {
    const request = {
      id: uuidv7(),
      tenantId: pick(tenants, a) as string,
      pipeline: b < 0.6 ? 'model_plain' : 'model_capped',
      priority: Math.floor(c * 3) - 1,
      uniqueKey: a * 7 - Math.floor(a * 7) < 0.3 ? `u${Math.floor(b * 4)}` : null,
      activeKey: b * 11 - Math.floor(b * 11) < 0.3 ? `k${Math.floor(c * 2)}` : null,
    };
    const dueMs = c * 13 - Math.floor(c * 13) < 0.2 ? model.nowMs + 1 + Math.floor(a * 20_000) : model.nowMs;
    const holders = model.holder(request);
    const [answer] = await enqueue(world.pool, world.registry, [
      {
        id: request.id,
        tenantId: request.tenantId,
        pipeline: request.pipeline,
        priority: request.priority,
        input: {},
        ...(request.uniqueKey === null ? {} : { uniqueKey: request.uniqueKey }),
        ...(request.activeKey === null ? {} : { activeKey: request.activeKey }),
        ...(dueMs > model.nowMs ? { availableAt: new Date(dueMs) } : {}),
      },
    ]);
    if (holders.length === 0) model.add({ ...request, retryOf: null }, dueMs);
    if (holders.length === 0) return difference(answer, { id: request.id, created: true });
    return answer?.created === false && holders.some((run) => run.id === answer.id)
      ? undefined
      : `answered ${JSON.stringify(answer)}, but the key belongs to ${holders.map((run) => run.id).join(' or ')}`;
  },

  enlist: async ({ model, world }) => {
    const worker: ModelWorker = { id: uuidv7(), expiresMs: model.nowMs + LEASE_MS, ended: false };
    const row = { workerId: worker.id, name: 'm', pid: 1, host: 'm', version: 'm', pipelines: [], concurrency: 1 };
    await registerWorker(world.pool, row, LEASE_MS);
    model.workers.push(worker);
    return undefined;
  },

  claim: async (scene, [a, b]) => {
    const worker = pick(scene.model.workers, a);
    if (!worker) return undefined;
    const claimer = scene.claimers.get(worker.id) ?? scene.world.claimer();
    scene.claimers.set(worker.id, claimer);
    const count = 1 + Math.floor(b * 5);
    const rows = await claimer.claim(worker.id, count);
    noteClaimed(scene, rows);
    return scene.model.claim(
      worker,
      rows.map((row) => row.id),
      count,
    );
  },

  claimAlone: async (scene, [a]) => {
    const { model, world } = scene;
    const worker = pick(model.workers, a);
    if (!worker) return undefined;
    const rows = await world.claimer().claimSolo(worker.id);
    noteClaimed(scene, rows);
    const suspects = model.runs.filter(
      (run) =>
        run.place.at === 'ready' &&
        run.place.solo &&
        !model.isPaused(run) &&
        (run.pipeline !== 'model_capped' || model.leasesOfLane(run.pipeline, run.tenantId) < 2),
    );
    const possible = model.isAlive(worker) ? suspects : [];
    const taken = rows.map((row) => row.id);
    if (taken.length !== Math.min(1, possible.length)) return `${taken.length} of ${possible.length} suspects claimed`;
    const run = possible.find((each) => each.id === taken[0]);
    if (taken.length === 1 && !run) return `run ${taken[0]} is no suspect that could be claimed`;
    if (run) model.lease(run, worker);
    return undefined;
  },

  heartbeat: async ({ model, world }, [a]) => {
    const worker = pick(model.workers, a);
    if (!worker) return undefined;
    return difference(await renewWorker(world.pool, worker.id, LEASE_MS, quiet), model.renew(worker));
  },

  advance: async ({ model, world }, [a]) => {
    model.nowMs += Math.floor(a ** 1.5 * 1.6 * LEASE_MS);
    await world.setClock(model.nowMs);
    return undefined;
  },

  rescue: async ({ model, world }) => {
    // A loss is charged to what has begun; in this world everything has.
    await world.admin.query('update engine.leases set began = true');
    await rescueLostRuns(world.pool, silentLog);
    model.rescue();
    return undefined;
  },

  moveDue: async ({ model, world }) => {
    await moveDueRuns(world.pool, 1_000);
    model.moveDue();
    return undefined;
  },

  /** Ends an attempt well: the current one or, as often, one that has lost its run. */
  succeed: async (scene, [a, b]) => {
    const { model, world } = scene;
    const { row, run } = pickAttempt(scene, a);
    if (!row || !run) return undefined;
    const event = stageOf(row.status as ModelRun['status']) === 'first' ? 'pass' : b < 0.8 ? 'complete' : 'part';
    const receipt = event === 'pass' ? null : JSON.stringify({ read: 3, outcomes: { inserted: 2, rejected: 1 } });
    const end = { ...plainEnd(runOf(row), event, event), receipt, commits: believed(scene, row) };
    const moved = await endAttempts(world.pool, [end]);
    if (!endsAtAll(scene, row, run)) return difference(moved.length, 0);
    return difference(moved.length === 1, model.end(run, row, { event, outcome: event }));
  },

  fail: async (scene, [a, b, c]) => {
    const { model, world } = scene;
    const { row, run } = pickAttempt(scene, a);
    if (!row || !run) return undefined;
    const [kind, code] = pick(troubles, b) as (typeof troubles)[number];
    const waitMs = 1 + Math.floor(c * 9_000);
    const details = kind === 'rate_limited' ? { retryAfterMs: waitMs } : {};
    const error = new MillraceError(code, {}, details);
    const pipeline = world.registry.get(row.pipeline);
    if (!pipeline) return `pipeline ${row.pipeline} is not registered`;
    const end = { ...endByError(pipeline, runOf(row), error, 0), commits: believed(scene, row) };
    const moved = await endAttempts(world.pool, [end]);
    if (!endsAtAll(scene, row, run)) return difference(moved.length, 0);
    return difference(moved.length === 1, model.fail(run, row, kind, code, waitMs));
  },

  release: async (scene, [a]) => {
    const { model, world } = scene;
    const { row, run } = pickAttempt(scene, a);
    if (!row || !run) return undefined;
    const moved = await endAttempts(world.pool, [endByRelease(runOf(row))]);
    scene.held.delete(row);
    return difference(moved.length === 1, model.end(run, row, { event: 'release', outcome: 'released' }));
  },

  /** An effects transaction: the fence lets it through exactly when the attempt still has the run. */
  commit: async ({ model, world, claimed }, [a]) => {
    const row = pick(claimed, a);
    const run = row && model.find(row.id);
    if (!row || !run) return undefined;
    const fence = await withTransaction(world.pool, (tx) => lockLease(tx, runOf(row)));
    return difference(
      fence && { by: fence.cancel_requested_by },
      model.holds(run, row) ? { by: run.cancelBy } : undefined,
    );
  },

  hold: async ({ model, world }, [a]) => {
    const run = pick(model.runs, a);
    if (!run) return undefined;
    const can = run.place.at === 'ready' || run.place.at === 'planned';
    const answer = await codeOf(actions.hold(world.deps, { ...by, tenantId: run.tenantId }, run.id));
    if (can) {
      run.place = { at: 'held' };
      run.heldBy = by.by;
    }
    return difference(answer, can ? 'ok' : 'event_illegal');
  },

  resume: async ({ model, world }, [a]) => {
    const run = pick(model.runs, a);
    if (!run) return undefined;
    const can = run.place.at === 'held' || run.place.at === 'planned';
    const answer = await codeOf(actions.resume(world.deps, { ...by, tenantId: run.tenantId }, run.id));
    if (can) {
      run.place = { at: 'ready', solo: isSuspect(run) };
      run.heldBy = null;
    }
    return difference(answer, can ? 'ok' : 'event_illegal');
  },

  cancel: async ({ model, world }, [a]) => {
    const run = pick(model.runs, a);
    if (!run) return undefined;
    const phase = phaseOf(run.status);
    const live = phase === 'waiting' || phase === 'active';
    const answer = await codeOf(actions.cancel(world.deps, { ...by, tenantId: run.tenantId }, run.id));
    if (phase === 'active' && run.place.at === 'leased') {
      const holder = { attempt: run.attempt, worker_id: run.place.worker };
      model.end(run, holder, { event: 'fail', outcome: 'cancelled', error: 'run_cancelled' });
      run.cancelBy = null;
    } else if (phase === 'waiting') {
      run.status = 'failed';
      run.errorCode = 'run_cancelled';
      run.cancelBy = by.by;
      model.finish(run);
    }
    return difference(answer, live ? 'cancelled' : 'event_illegal');
  },

  /** Cancelled while an effects transaction holds the lease: the wish is kept for the worker or the rescuer. */
  cancelDuringCommit: async ({ model, world }, [a]) => {
    const active = model.runs.filter((run) => run.place.at === 'leased');
    const run = pick(active, a);
    if (!run) return undefined;
    const answer = await withClient(world.pool, async (client) => {
      await client.query('begin');
      const workerId = run.place.at === 'leased' ? run.place.worker : '';
      await lockLease(client, { id: run.id, part: '', attempt: run.attempt, workerId });
      const asked = await codeOf(actions.cancel(world.deps, { ...by, tenantId: run.tenantId }, run.id));
      await client.query('rollback');
      return asked;
    });
    run.cancelBy ??= by.by;
    return difference(answer, 'requested');
  },

  retry: async ({ model, world }, [a]) => {
    const run = pick(model.runs, a);
    if (!run) return undefined;
    const phase = phaseOf(run.status);
    const can = phase === 'failed' || phase === 'dead';
    const before = model.runs.find((each) => each.retryOf === run.id);
    let id = '';
    const answer = await codeOf(
      actions.retry(world.deps, { ...by, tenantId: run.tenantId }, run.id).then((made) => {
        id = made.id;
        return made.created ? 'created' : 'there';
      }),
    );
    if (!can) return difference(answer, 'event_illegal');
    if (before) return difference([answer, id], ['there', before.id]);
    return followRetry(model, run, answer, id);
  },

  requeue: async ({ model, world }, [a]) => {
    const run = pick(model.runs, a);
    if (!run) return undefined;
    let id = '';
    const answer = await codeOf(
      actions.requeueDeadLetter(world.deps, { ...by, tenantId: run.tenantId }, run.id, 'correlation').then((made) => {
        id = made;
        return 'created';
      }),
    );
    if (run.requeuedAs !== null) return difference(answer, 'run_already_retried');
    if (phaseOf(run.status) !== 'dead') return difference(answer, 'not_a_dead_letter');
    return followRetry(model, run, answer, id);
  },

  pause: async ({ model, world, tenants }, [a, b]) => {
    const lane = b < 0.5 ? '' : (pick(tenants, b) as string);
    const pipeline = a < 0.5 ? 'model_plain' : 'model_capped';
    await pauseLane(world.pool, pipeline, lane, 'tester');
    model.pauses.add(`${pipeline}/${lane}`);
    return undefined;
  },

  unpause: async ({ model, world }, [a]) => {
    const paused = pick([...model.pauses], a);
    if (paused === undefined) return undefined;
    const [pipeline, lane] = paused.split('/') as [string, string];
    model.pauses.delete(paused);
    return difference(await unpauseLane(world.pool, pipeline, lane), true);
  },
} as const satisfies Record<string, Act>;

const troubles = [
  ['transient', 'database_busy'],
  ['transient', 'database_busy'],
  ['bug', 'stage_failed'],
  ['auth', 'unauthenticated'],
  ['rate_limited', 'rate_limited'],
] as const;

function followRetry(model: Model, run: ModelRun, answer: string, id: string): string | undefined {
  const uniqueKey = run.uniqueKey === null ? null : nextKey(run.uniqueKey);
  const taken = model.holder({ tenantId: run.tenantId, pipeline: run.pipeline, uniqueKey, activeKey: null });
  if (taken.length > 0) return undefined;
  model.add({ ...run, id, uniqueKey, activeKey: null, retryOf: run.id }, model.nowMs);
  if (phaseOf(run.status) === 'dead') run.requeuedAs = id;
  return difference(answer, 'created');
}

function nextKey(key: string): string {
  const [name, revision] = key.split('#r') as [string, string | undefined];
  return `${name}#r${revision === undefined ? 2 : Number(revision) + 1}`;
}

/** An attempt that is to end, also one that has lost its run; not one that its own process has replaced after a promotion. */
function pickAttempt({ claimed, model }: Scene, share: number): { row?: ClaimedRow; run?: ModelRun } {
  const row = pick(
    claimed.filter((each) => claimed.findLast((other) => isSameAttempt(other, each)) === each),
    share,
  );
  const run = row && model.find(row.id);
  return row && run ? { row, run } : {};
}

function isSameAttempt(one: ClaimedRow, other: ClaimedRow): boolean {
  return one.id === other.id && one.worker_id === other.worker_id && one.attempt === other.attempt;
}

/** Whatever its answer, the process is through with it. False: the database has not the commits it believes in, and nothing ends. */
function endsAtAll(scene: Scene, row: ClaimedRow, run: ModelRun): boolean {
  scene.held.delete(row);
  return !scene.model.holds(run, row) || hasItsCommits(scene, row, run);
}
