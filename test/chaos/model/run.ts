// R17: seeded sequences of steps, taken by the model and by the real SQL, compared after each one. A divergence is reported
// with its seed and the shortest sequence that still shows it: first the prefix up to it, then without every step that can be
// left out.
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Random, randomFrom } from '../random.ts';
import { allSteps, type Step } from './all-steps.ts';
import { phaseOf } from './machine.ts';
import { Model, type ModelRun } from './model.ts';
import type { Scene } from './scene.ts';
import type { World, WorldRow } from './world.ts';

export interface Divergence {
  readonly seed: number;
  readonly what: string;
  readonly steps: readonly Step[];
}

export interface ModelResult {
  readonly steps: number;
  readonly episodes: number;
  /** How often each kind of step was taken. */
  readonly taken: Readonly<Record<string, number>>;
  /** How often what is worth a step really came about: a step may find nothing to do. */
  readonly happened: Readonly<Record<string, number>>;
  readonly divergence: Divergence | undefined;
}

const STEPS_PER_EPISODE = 120;
const START_MS = Date.UTC(2030, 0, 1);

/** How often each step is drawn. */
const weights: Readonly<Record<Step['do'], number>> = {
  enqueue: 16,
  enlist: 8,
  claim: 28,
  claimAlone: 4,
  heartbeat: 14,
  advance: 9,
  rescue: 8,
  moveDue: 6,
  succeed: 12,
  fail: 10,
  release: 4,
  commit: 6,
  hold: 4,
  resume: 4,
  cancel: 3,
  cancelDuringCommit: 3,
  retry: 4,
  requeue: 3,
  pause: 1,
  unpause: 4,
  claimInDoubt: 8,
  reconcile: 8,
  commitInDoubt: 18,
  endOverSilence: 4,
  lag: 8,
  promote: 4,
  saveSchedule: 4,
  fireSchedules: 6,
  deleteSchedule: 1,
};

/** What every so many steps must have brought about, so that no run of the suite is green on nothing. */
const PER_STEPS = 1_200;
const least: Readonly<Record<string, number>> = {
  'claims in doubt': 4,
  'leases given back': 2,
  'commits in doubt': 4,
  'ends over a silent connection': 3,
  'lost commits found': 1,
  'promotions that lost something': 4,
  'schedules fired': 4,
};

/** What did not come about often enough in a run of so many steps. */
export function missing({ steps, happened }: Pick<ModelResult, 'steps' | 'happened'>): string[] {
  const rounds = Math.floor(steps / PER_STEPS);
  return Object.entries(least)
    .filter(([what, times]) => (happened[what] ?? 0) < times * rounds)
    .map(([what, times]) => `${happened[what] ?? 0} ${what}, should be at least ${times * rounds}`);
}

/** Every third episode is stormy: workers fall silent all the time, so that runs lose theirs again and again. */
const storm: typeof weights = {
  ...weights,
  enqueue: 4,
  advance: 24,
  rescue: 24,
  claim: 30,
  claimAlone: 16,
  enlist: 12,
  succeed: 6,
};

export async function runModel(
  world: World,
  options: { seed: number; steps: number; say?: (line: string) => void },
): Promise<ModelResult> {
  const taken: Record<string, number> = {};
  const happened: Record<string, number> = {};
  let steps = 0;
  let episodes = 0;
  for (; steps < options.steps; episodes += 1) {
    const seed = (options.seed + episodes) >>> 0;
    const sequence = draw(randomFrom(seed), Math.min(STEPS_PER_EPISODE, options.steps - steps));
    const failed = await play(world, sequence, happened);
    for (const step of sequence) taken[step.do] = (taken[step.do] ?? 0) + 1;
    steps += sequence.length;
    if (failed) {
      const prefix = sequence.slice(0, failed.at + 1);
      options.say?.(`seed ${seed}: ${failed.what}; shrinking ${prefix.length} steps`);
      const shortest = await shrink(world, prefix);
      const again = await play(world, shortest);
      return {
        steps,
        episodes,
        taken,
        happened,
        divergence: { seed, what: again?.what ?? failed.what, steps: shortest },
      };
    }
    if (episodes % 50 === 49) options.say?.(`${steps} steps`);
  }
  return { steps, episodes, taken, happened, divergence: undefined };
}

function draw(random: Random, count: number): Step[] {
  const bag = Object.entries(random.seed % 3 === 0 ? storm : weights).flatMap(([name, weight]) =>
    Array.from({ length: weight }, () => name as Step['do']),
  );
  return Array.from({ length: count }, () => ({
    do: random.pick(bag),
    draw: [random.next(), random.next(), random.next()],
  }));
}

async function play(
  world: World,
  steps: readonly Step[],
  happened: Record<string, number> = {},
): Promise<{ at: number; what: string } | undefined> {
  await world.clear();
  const scene: Scene = {
    model: new Model(START_MS),
    world,
    tenants: [uuidv7(), uuidv7(), uuidv7()],
    claimers: new Map(),
    claimed: [],
    held: new Set(),
    counts: new Map(),
    replica: undefined,
    happened,
  };
  await world.setClock(START_MS);
  for (const [at, step] of steps.entries()) {
    const wrong = await allSteps[step.do](scene, step.draw).catch(
      (error: unknown) => `threw ${error instanceof Error ? error.stack : String(error)}`,
    );
    const what = wrong ?? (await compare(scene));
    if (what !== undefined) return { at, what: `step ${at + 1} (${step.do}): ${what}` };
  }
  return undefined;
}

/** Everything the model knows of every run, against what is stored. */
async function compare({ model, world }: Scene): Promise<string | undefined> {
  const rows = await world.rows(model.runs.map((run) => run.id));
  if (rows.length !== model.runs.length) return `${rows.length} runs stored, should be ${model.runs.length}`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const run of model.runs) {
    const found = JSON.stringify(comparable(byId.get(run.id) as WorldRow));
    const wanted = JSON.stringify(expected(run));
    if (found !== wanted) return `run ${run.id} is\n  ${found}\nshould be\n  ${wanted}`;
  }
  const stored = (await world.schedules()).map(({ name, pipeline, next_ms: nextMs }) => [name, pipeline, nextMs]);
  const planned = [...model.schedules].map(([name, { pipeline, nextMs }]) => [name, pipeline, nextMs]).sort();
  if (JSON.stringify(stored) !== JSON.stringify(planned))
    return `schedules are\n  ${JSON.stringify(stored)}\nshould be\n  ${JSON.stringify(planned)}`;
  return undefined;
}

function comparable(row: WorldRow) {
  const { failures, outcomes, events, checkpoints, id: _, ...rest } = row;
  return [sorted(rest), sorted(failures), commitsOf(checkpoints), outcomes, events];
}

function commitsOf(checkpoints: WorldRow['checkpoints']): unknown {
  return sorted(checkpoints).map(([stage]) => [stage, checkpoints[stage]?.commits, checkpoints[stage]?.attempt]);
}

function expected(run: ModelRun) {
  const { place } = run;
  const solo = 'solo' in place && place.solo ? ' alone' : '';
  const where = { ready: `ready${solo}`, planned: '', leased: '', held: 'held', nowhere: 'nowhere' }[place.at];
  return [
    sorted({
      status: run.status,
      phase: phaseOf(run.status),
      attempt: run.attempt,
      error_code: run.errorCode,
      held_by: run.heldBy,
      cancel_by: run.cancelBy,
      active_key: run.activeKey,
      requeued_as: run.requeuedAs,
      retry_of: run.retryOf,
      place:
        place.at === 'planned'
          ? `planned ${place.dueMs}${solo}`
          : place.at === 'leased'
            ? `leased ${place.worker}`
            : where,
    }),
    sorted(run.failures),
    commitsOf(run.checkpoints),
    run.outcomes,
    run.events,
  ];
}

function sorted(object: Record<string, unknown>): [string, unknown][] {
  return Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Leaves out ever smaller pieces as long as what remains still fails. */
async function shrink(world: World, steps: readonly Step[]): Promise<readonly Step[]> {
  let best = steps;
  for (let size = Math.ceil(best.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < best.length; ) {
      const without = [...best.slice(0, from), ...best.slice(from + size)];
      const failed = without.length > 0 ? await play(world, without) : undefined;
      if (failed) best = without.slice(0, failed.at + 1);
      else from += size;
    }
  }
  return best;
}
