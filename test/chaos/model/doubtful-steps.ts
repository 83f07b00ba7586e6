// Steps in which somebody does not hear what became of what it asked for: claims, commits and ends in doubt, a connection that goes silent, a
// replica that lagged and is promoted.
import { Claimer } from '../../../src/engine/claimer.ts';
import { commitEffects } from '../../../src/engine/effects.ts';
import { endByRelease, plainEnd } from '../../../src/engine/failure.ts';
import { type Ending, Finisher } from '../../../src/engine/finisher.ts';
import { Reconciler } from '../../../src/engine/reconciler.ts';
import type { ClaimedRow } from '../../../src/engine/sql/claim-runs.ts';
import { endAttempts } from '../../../src/engine/sql/end-attempts.ts';
import { claimedLeases, leasesOf } from '../../../src/engine/sql/workers.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { doubtfulPool, type Fate } from './doubtful-pool.ts';
import { stageOf } from './machine.ts';
import type { ModelRun, ModelWorker } from './model.ts';
import {
  type Act,
  believed,
  codeOf,
  countsOf,
  difference,
  hasItsCommits,
  note,
  noteClaimed,
  pick,
  pickRow,
  pickWorker,
  runOf,
  type Scene,
} from './scene.ts';
import { ordinarySteps } from './steps.ts';

/** What the finisher leaves a run that lost commits before it goes on. */
const REWOUND_PAUSE_MS = 500;

export const doubtfulSteps = {
  /** The claim is committed, its answer is not heard: nobody works on what it took. */
  claimInDoubt: async (scene, [a, b, c]) => {
    const { model, world } = scene;
    // So that there is somebody to claim, and something to be claimed.
    if (!model.workers.some((each) => model.isAlive(each))) await ordinarySteps.enlist(scene);
    if (model.claimable().length === 0) await ordinarySteps.enqueue(scene, [c, a, b]);
    const worker = pickWorker(scene, a, (each) => model.isAlive(each));
    if (!worker) return undefined;
    const claimer = new Claimer(doubtfulPool(world.pool, 'committed', c < 0.5 ? 0 : 1), world.registry);
    const count = 1 + Math.floor(b * 4);
    const answer = await codeOf(claimer.claim(worker.id, count).then((rows) => noteClaimed(scene, rows)));
    // A claim that was over before its connection could break is heard.
    if (answer !== 'database_lost' && answer !== 'ok') return `answered ${answer}`;
    const known = new Set(model.leasedTo(worker).map((run) => run.id));
    const taken = (await leasesOf(world.pool, worker.id)).map((lease) => lease.run_id).filter((id) => !known.has(id));
    if (taken.length > 0 && answer !== 'ok') note(scene, 'claims in doubt');
    return model.claimUnheard(worker, taken, count);
  },

  /** The worker compares what it holds with what the database says, twice, and gives back what nobody works on. */
  reconcile: async (scene, [a]) => {
    const { model, world, held } = scene;
    const heldBy = (worker: ModelWorker) => [...held].filter((row) => row.worker_id === worker.id);
    const worker = pickWorker(scene, a, (each) => model.leasedTo(each).length > heldBy(each).length);
    if (!worker) return undefined;
    const mine = heldBy(worker);
    const holdings = mine.map(({ id, attempt }) => ({ runId: id, part: '', attempt }));
    const reconciler = new Reconciler();
    const look = async (lookedAt: number) =>
      reconciler.compare({
        ...{ leases: await leasesOf(world.pool, worker.id), before: holdings, after: holdings },
        ...{ lookedAt, oldestClaimAt: undefined },
      });
    await look(1);
    const { orphans, lost } = await look(2);
    const isKnown = (run: ModelRun) => mine.some(({ id, attempt }) => id === run.id && attempt === run.attempt);
    const forgotten = model.leasedTo(worker).filter((run) => !isKnown(run));
    const wanted = forgotten.map((run) => run.id).sort();
    const wrong = difference(orphans.map((lease) => lease.run_id).sort(), wanted);
    if (wrong) return wrong;
    for (const row of mine) if (lost.some(({ runId }) => runId === row.id)) held.delete(row);
    for (const row of await claimedLeases(world.pool, worker.id, wanted)) {
      if (mine.some(({ id, attempt }) => id === row.id && attempt === row.attempt)) continue;
      const moved = await endAttempts(world.pool, [endByRelease(runOf(row))]);
      const run = model.find(row.id) as ModelRun;
      const ended = model.end(run, row, { event: 'release', outcome: 'released' });
      if (moved.length !== 1 || !ended) return `run ${row.id} could not be given back`;
      note(scene, 'leases given back');
    }
    return undefined;
  },

  /** An effects transaction that ends well, or whose connection breaks around its commit. */
  commitInDoubt: async (scene, [a, b]) => {
    const { model } = scene;
    const holder = (each: ClaimedRow) => {
      const run = model.find(each.id);
      return run !== undefined && run.cancelBy === null && model.holds(run, each) ? run : undefined;
    };
    const isBehind = (each: ClaimedRow) => {
      const run = holder(each);
      return run !== undefined && run.status === each.status && !hasItsCommits(scene, each, run);
    };
    const behind = scene.claimed.some(isBehind);
    const row = pickRow(scene, a, behind ? isBehind : (each) => holder(each) !== undefined);
    const run = row && model.find(row.id);
    // One whose run is in another stage by now belongs to a time that is gone; its process has stopped it.
    if (!row || !run || (model.holds(run, row) && row.status !== run.status)) return undefined;
    return commitOnce(scene, row, run, (['committed', 'rolled back', undefined] as const)[Math.floor(b * 3)]);
  },

  /** The end of an attempt over a connection that falls silent: the finisher asks until it knows. */
  endOverSilence: async (scene, [a, b]) => {
    const { model, world, held } = scene;
    const isHolder = (each: ClaimedRow) => {
      const run = model.find(each.id);
      return held.has(each) && run !== undefined && model.holds(run, each);
    };
    const row = pickRow(scene, a, isHolder);
    const run = row && model.find(row.id);
    if (!row || !run || !held.has(row)) return undefined;
    const event = stageOf(row.status as ModelRun['status']) === 'first' ? 'pass' : 'complete';
    const receipt = event === 'pass' ? null : JSON.stringify({ read: 1, outcomes: { inserted: 1 } });
    const ending: Ending = {
      ...{ run: runOf(row), events: [], via: [] },
      end: { ...plainEnd(runOf(row), event, event), receipt, commits: believed(scene, row) },
    };
    const fate: Fate = b < 0.6 ? 'committed' : 'rolled back';
    const heard: { readonly lost: number }[] = [];
    const finisher = new Finisher({
      ...{ pool: doubtfulPool(world.pool, fate), log: silentLog },
      onWritten: (_, lost) => heard.push({ lost: lost.length }),
    });
    const isRewound = model.holds(run, row) && !hasItsCommits(scene, row, run);
    finisher.add(ending);
    await finisher.flush();
    held.delete(row);
    if (isRewound) {
      note(scene, 'lost commits found');
      const dueMs = model.nowMs + REWOUND_PAUSE_MS;
      model.end(run, row, { event: 'release', outcome: 'released', dueMs });
      return difference(heard, [{ lost: 0 }]);
    }
    const ended = model.end(run, row, { event, outcome: event });
    if (ended) note(scene, 'ends over a silent connection');
    return difference(heard, [{ lost: ended ? 0 : 1 }]);
  },

  /** A replica has everything up to this moment and nothing that comes after. */
  lag: async (scene) => {
    if (scene.replica !== undefined) return undefined;
    await scene.world.save();
    scene.replica = scene.model.copy();
    return undefined;
  },

  /** It is promoted: what was committed since is gone, and processes go on believing in it. */
  promote: async (scene, [a]) => {
    const { model, replica, world } = scene;
    if (replica === undefined) return undefined;
    // One more commit that the replica will not have, by an attempt that it knows.
    const known = scene.claimed.filter((row) => {
      const [run, before] = [model.find(row.id), replica.find(row.id)];
      if (!run || !before || run.cancelBy !== null || run.status !== row.status || before.status !== row.status)
        return false;
      return model.holds(run, row) && replica.holds(before, row) && hasItsCommits(scene, row, run);
    });
    const last = pick(known, a);
    const wrong = last && (await commitOnce(scene, last, model.find(last.id) as ModelRun, undefined));
    if (wrong) return wrong;
    await world.restore();
    const lost = model.runs.filter((run) => !sameAs(run, replica.find(run.id))).length;
    if (lost > 0) note(scene, 'promotions that lost something');
    replica.nowMs = model.nowMs;
    scene.model = replica;
    scene.replica = undefined;
    return undefined;
  },
} as const satisfies Record<string, Act>;

async function commitOnce(
  scene: Scene,
  row: ClaimedRow,
  run: ModelRun,
  fate: Fate | undefined,
): Promise<string | undefined> {
  const { model, world } = scene;
  const counts = countsOf(scene, row);
  const holds = model.holds(run, row);
  const isWhole = !holds || hasItsCommits(scene, row, run);
  const effects = { role: 'millrace_app', write: async () => 'ok', checkpoint: {}, part: '', stallMs: 600_000 };
  const answer = await codeOf(
    commitEffects(
      fate === undefined ? world.pool : doubtfulPool(world.pool, fate),
      runOf(row),
      { ...effects, rejects: () => [], emit: [] },
      counts,
      new AbortController().signal,
    ),
  );
  if (!holds) return difference(answer, 'lease_lost');
  if (run.cancelBy !== null) return difference(answer, 'run_cancelled');
  if (!isWhole) {
    note(scene, 'lost commits found');
    return difference(answer, 'commits_lost');
  }
  if (fate === 'rolled back') return difference(answer, 'database_lost');
  if (fate === 'committed') note(scene, 'commits in doubt');
  model.commit(run, row.attempt);
  return difference(answer, 'ok');
}

function sameAs(run: ModelRun, other: ModelRun | undefined): boolean {
  return other !== undefined && JSON.stringify(run) === JSON.stringify(other);
}
