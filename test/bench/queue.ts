// The queue bench: Millrace beside graphile-worker, pg-boss and (where a redis-server is on the PATH) BullMQ, on the same
// server in the same run. Ours is the median of the rounds, a peer's the best; the order alternates from round to round.
// Peers' settings lie beside this file in queue/, one file each. The full bench fetches those of today, which need another Node.
import os from 'node:os';
import { compilePrograms } from '../support/programs.ts';
import { type Arena, type Ground, openArena } from './queue/arena.ts';
import { findCurrentPeers } from './queue/current-peers.ts';
import { engineParts, fullEngineDose, type Part, quickEngineDose } from './queue/engine-figures.ts';
import {
  type Drain,
  drainOn,
  fillLedger,
  fillPgBoss,
  measureDrain,
  measureEnqueue,
  measureFairness,
  measureIdle,
  type Past,
  settle,
} from './queue/measures.ts';
import type { ContenderName } from './queue/orders.ts';
import {
  type BenchOptions,
  type BenchResult,
  describeMachine,
  type Figure,
  median,
  percentile,
  rate,
  round,
  time,
} from './report.ts';

interface Dose {
  readonly rounds: number;
  readonly drain: number;
  readonly enqueue: number;
  readonly idle: number;
  readonly history: number;
  readonly historyDrain: number;
  readonly historyRounds: number;
  readonly pasts: readonly Past[];
  readonly fairness: number;
  readonly fairnessRounds: number;
  /** Peers serve A first, which takes its time. */
  readonly peersFairness: boolean;
}

const full: Dose = {
  rounds: 3,
  drain: 50_000,
  enqueue: 8_000,
  idle: 300,
  history: 1_000_000,
  historyDrain: 50_000,
  historyRounds: 7,
  pasts: ['finished', 'future', 'failed'],
  fairness: 20_000,
  fairnessRounds: 3,
  peersFairness: true,
};
const quick: Dose = {
  rounds: 1,
  drain: 15_000,
  enqueue: 1_000,
  idle: 24,
  history: 100_000,
  historyDrain: 15_000,
  historyRounds: 1,
  pasts: ['finished'],
  fairness: 20_000,
  fairnessRounds: 1,
  peersFairness: false,
};

const WARM_UP = 5_000;

type PerContender<T> = Record<string, T[]>;

export async function benchQueue(options: BenchOptions): Promise<BenchResult> {
  compilePrograms();
  const dose = options.quick ? quick : full;
  const current = findCurrentPeers(!options.quick, options.say);
  const arena = await openArena(current);
  try {
    const described = describeMachine(['graphile-worker', 'pg-boss', 'bullmq', 'pg']);
    const machine = {
      ...described,
      versions: { ...described.versions, ...current?.versions },
      postgres: arena.settings,
      selectOneP95Ms: await selectOneP95(arena),
      dose,
    };
    const contenders: ContenderName[] = ['millrace', ...arena.peers];
    // A new server makes its first log files and caches while it works: whoever came first would pay for all.
    await measureDrain(arena, 'millrace', WARM_UP, 1);
    const parts: Record<string, Part> = {
      drains: () => drains(arena, contenders, dose, options),
      enqueues: () => enqueues(arena, contenders, dose, options),
      idle: () => idle(arena, contenders, dose, options),
      fairness: () => fairness(arena, contenders, dose, options),
      ...engineParts(arena, options.quick ? quickEngineDose : fullEngineDose, options),
      history: () => history(arena, dose, options),
    };
    const wanted = options.only ?? Object.keys(parts);
    const figures: Figure[] = [];
    for (const name of wanted) {
      const measure = parts[name];
      if (!measure) throw new Error(`the bench has no part "${name}"; there are ${Object.keys(parts).join(', ')}`);
      figures.push(...(await measure()));
    }
    return { machine: { ...machine, loadAtEnd: round(os.loadavg()[0] ?? 0) }, figures };
  } finally {
    await arena.close();
  }
}

async function drains(
  arena: Arena,
  contenders: readonly ContenderName[],
  dose: Dose,
  options: BenchOptions,
): Promise<Figure[]> {
  const one = await alternate(
    contenders,
    dose.rounds,
    (name) => measureDrain(arena, name, dose.drain, 1),
    options,
    sayDrain,
  );
  const two = await alternate(
    contenders,
    dose.rounds,
    (name) => measureDrain(arena, name, dose.drain, 2),
    options,
    sayDrain,
  );
  const drained = (of: PerContender<Drain>, id: string) =>
    rate(id, ours(of).map(byDrain), '/s', best(of, byDrain, Math.max));
  const twoProcesses = drained(two, 'drain-2p');
  const single = median(ours(one).map(byDrain));
  return [
    drained(one, 'drain-1p'),
    {
      ...twoProcesses,
      peers: { ...twoProcesses.peers, 'drain-1p': round(single) },
      ratios: { ...twoProcesses.ratios, 'drain-1p': round(twoProcesses.value / single) },
    },
    rate('enqueue-bulk', [...ours(one), ...ours(two)].map(byEnqueue), '/s', best(merge(one, two), byEnqueue, Math.max)),
  ];
}

const byDrain = (drain: Drain) => drain.drainedPerSecond;
const byEnqueue = (drain: Drain) => drain.enqueuedPerSecond;
const sayDrain = (drain: Drain) => `bulk ${round(byEnqueue(drain))}/s, drain ${round(byDrain(drain))}/s`;

async function enqueues(
  arena: Arena,
  contenders: readonly ContenderName[],
  dose: Dose,
  options: BenchOptions,
): Promise<Figure[]> {
  const names: ContenderName[] = [...contenders, 'raw'];
  const found = await alternate(
    names,
    dose.rounds,
    (name) => measureEnqueue(arena, name, dose.enqueue),
    options,
    ({ single, crowd }) => `single ${round(single)}/s, 50 at a time ${round(crowd)}/s`,
  );
  return [
    rate(
      'enqueue-single',
      ours(found).map((each) => each.single),
      '/s',
      best(found, (each) => each.single, Math.max),
    ),
    rate(
      'enqueue-50',
      ours(found).map((each) => each.crowd),
      '/s',
      best(found, (each) => each.crowd, Math.max),
    ),
  ];
}

async function idle(
  arena: Arena,
  contenders: readonly ContenderName[],
  dose: Dose,
  options: BenchOptions,
): Promise<Figure[]> {
  const found = await alternate(
    contenders,
    dose.rounds,
    // pg-boss polls: half a second for each, so an eighth of them must do.
    (name) => measureIdle(arena, name, name === 'pg-boss' ? Math.ceil(dose.idle / 8) : dose.idle),
    options,
    (values) => `p50 ${round(percentile(values, 0.5))} ms, p99 ${round(percentile(values, 0.99))} ms`,
  );
  return [0.5, 0.95, 0.99].map((share) =>
    time(
      `idle-p${share * 100}`,
      ours(found).map((values) => percentile(values, share)),
      'ms',
      best(found, (values) => percentile(values, share), Math.min),
    ),
  );
}

async function fairness(
  arena: Arena,
  contenders: readonly ContenderName[],
  dose: Dose,
  options: BenchOptions,
): Promise<Figure[]> {
  const names = dose.peersFairness ? contenders : contenders.slice(0, 1);
  // A peer's ten seconds are not made shorter by repetition.
  const peers = await alternate(
    names.slice(1),
    1,
    (name) => measureFairness(arena, name, dose.fairness),
    options,
    sayMs,
  );
  const own = await alternate(
    ['millrace'],
    dose.fairnessRounds,
    (name) => measureFairness(arena, name, dose.fairness),
    options,
    sayMs,
  );
  return [
    time(
      'fairness-ms',
      ours(own),
      'ms',
      best(peers, (ms) => ms, Math.min),
    ),
  ];
}

const sayMs = (ms: number) => `${round(ms)} ms`;

async function history(arena: Arena, dose: Dose, options: BenchOptions): Promise<Figure[]> {
  const ratios = new Map<Past, number[]>();
  for (const past of dose.pasts) {
    const fill = (ground: Ground) => fillLedger(ground, dose.history, past);
    ratios.set(past, await besideEmpty(arena, 'millrace', dose, fill, (line) => options.say(`${past}: ${line}`)));
  }
  const peers = options.quick
    ? {}
    : { 'pg-boss': median(await besideEmpty(arena, 'pg-boss', dose, (ground) => fillPgBoss(ground, dose.history))) };
  return dose.pasts.map((past) =>
    rate(
      past === 'finished' ? 'history-ratio' : `history-${past}-ratio`,
      ratios.get(past) ?? [],
      '×',
      past === 'finished' ? peers : {},
    ),
  );
}

/**
 * How fast a ledger with a past is drained against an empty one. The machine is not equally fast all the time, so each drain of the full
 * one has its own drain of an empty one right beside it, in alternating order.
 */
async function besideEmpty(
  arena: Arena,
  name: ContenderName,
  dose: Dose,
  fill: (ground: Ground) => Promise<void>,
  say: (line: string) => void = () => {},
): Promise<number[]> {
  const ground = await arena.ground(name);
  try {
    await settle(ground, name);
    await fill(ground);
    const withPast = async () => byDrain(await drainOn(ground, name, dose.historyDrain, 1));
    const empty = async () => byDrain(await measureDrain(arena, name, dose.historyDrain, 1));
    const ratios: number[] = [];
    for (let number = 0; number < dose.historyRounds; number += 1) {
      const isFirst = number % 2 === 0;
      const before = isFirst ? await withPast() : await empty();
      const after = isFirst ? await empty() : await withPast();
      const [filled, bare] = isFirst ? [before, after] : [after, before];
      ratios.push(filled / bare);
      say(`history: ${dose.history} before: ${round(filled)}/s, empty ${round(bare)}/s`);
    }
    return ratios;
  } finally {
    await ground.drop();
  }
}

/** Every contender once a round, forwards in even rounds and backwards in odd ones. */
async function alternate<T>(
  names: readonly ContenderName[],
  rounds: number,
  measure: (name: ContenderName) => Promise<T>,
  options: BenchOptions,
  describe: (value: T) => string,
): Promise<PerContender<T>> {
  const found: PerContender<T> = {};
  for (let number = 0; number < rounds; number += 1) {
    const order = number % 2 === 0 ? names : [...names].reverse();
    for (const name of order) {
      const value = await measure(name);
      found[name] = [...(found[name] ?? []), value];
      options.say(`round ${number + 1} of ${rounds}: ${name}: ${describe(value)}`);
    }
  }
  return found;
}

function ours<T>(found: PerContender<T>): T[] {
  return found.millrace ?? [];
}

function best<T>(found: PerContender<T>, value: (each: T) => number, choose: (...values: number[]) => number) {
  return Object.fromEntries(
    Object.entries(found)
      .filter(([name]) => name !== 'millrace')
      .map(([name, values]) => [name, choose(...values.map(value))]),
  );
}

function merge<T>(one: PerContender<T>, other: PerContender<T>): PerContender<T> {
  return Object.fromEntries(Object.keys(one).map((name) => [name, [...(one[name] ?? []), ...(other[name] ?? [])]]));
}

/** What one round trip costs on this machine: absolute bars in milliseconds hold where this is at most 2 ms. */
async function selectOneP95(arena: Arena): Promise<number> {
  const ground = await arena.ground('raw');
  const samples: number[] = [];
  for (let number = 0; number < 300; number += 1) {
    const startedAt = performance.now();
    await ground.admin.query('select 1');
    samples.push(performance.now() - startedAt);
  }
  await ground.drop();
  return round(percentile(samples, 0.95));
}
