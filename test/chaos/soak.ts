// R18: a soak. Two workers at half of what they can do, for as long as asked. Watches what must not grow with time: the memory of
// the processes, and the dead rows and sizes of the tables that every run passes through. Audited at the end like every fault.
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { compilePrograms } from '../support/programs.ts';
import type { Counts } from './auditor.ts';
import { type ChaosProcess, type Feeder, type Ground, openChaosServer } from './ground.ts';
import { resultOf } from './suites/suite.ts';
import { slopeOf } from './trend.ts';

const WORKERS = 2;
const CALIBRATION_RUNS = 1_500;
const BATCH = 10;
/** Of the soak: caches, pools and compiled code come up first. */
const WARM_UP = 0.2;
/** RSS may not be known to grow faster than this. */
const MAX_PERCENT_PER_HOUR = 1;
/** Twice what autovacuum lets stand by default in a table of this size, and room for a beat of it. */
const DEAD_ROWS_SLACK = 20_000;
const queueTables = ['ready', 'leases', 'scheduled', 'workers', 'event_inbox', 'consumers'];

export interface SoakOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly say: (line: string) => void;
}

interface TableSample {
  readonly name: string;
  readonly dead: number;
  readonly live: number;
  readonly bytes: number;
}

interface Sample {
  readonly minute: number;
  /** Of each worker, in MB. */
  readonly rss: readonly number[];
  readonly tables: readonly TableSample[];
}

export async function runSoak(options: SoakOptions): Promise<{ dose: unknown; counts: Counts; details: unknown }> {
  compilePrograms();
  const server = await openChaosServer();
  try {
    const ground = await server.ground({ leaseMs: 15_000, heartbeatMs: 3_000, concurrency: 8, drainMs: 5_000 });
    try {
      return await soak(ground, options);
    } finally {
      await ground.close();
    }
  } finally {
    await server.close();
  }
}

async function soak(ground: Ground, { seed, minutes, say }: SoakOptions) {
  const workers = Array.from({ length: WORKERS }, () => ground.worker({ consume: true }));
  await Promise.all(workers.map((worker) => worker.until('ready')));
  const perSecond = Math.max(2, Math.floor((await measureCapacity(ground, seed)) / 2));
  say(`soak: ${perSecond} runs a second, half of what ${WORKERS} workers can do, for ${minutes} minutes`);
  const seconds = minutes * 60;
  const everyMs = (BATCH / perSecond) * 1000;
  const feeder = ground.feeder({ count: perSecond * seconds, seed: seed + 1, batch: BATCH, everyMs, stepMs: 5 });
  const samples = await watch(ground, workers, feeder, seconds, say);
  await feeder.exited;
  await ground.settle(30_000);
  const audit = ground.audit();
  const settled = samples.filter(({ minute }) => minute >= minutes * WARM_UP);
  const memory = workers.map((_, worker) => describeMemory(settled, worker));
  const tables = queueTables.map((name) => describeTable(settled, name));
  const own = [
    ...memory
      .filter(({ atLeastPercentPerHour: least }) => least > MAX_PERCENT_PER_HOUR)
      .map(({ percentPerHour }, worker) => `worker ${worker + 1} grows by ${percentPerHour} % an hour`),
    ...tables
      .filter(({ deadFirstHalf, deadSecondHalf }) => deadSecondHalf > 2 * deadFirstHalf + DEAD_ROWS_SLACK)
      .map(({ name, deadSecondHalf }) => `engine.${name} gathers dead rows: ${deadSecondHalf}`),
    ...(audit.lostAttempts > 0 ? [`${audit.lostAttempts} runs were declared lost`] : []),
  ];
  const result = resultOf('R18', { minutes, perSecond }, [audit], own, { memory, tables });
  for (const line of [...memory, ...tables]) say(`soak: ${JSON.stringify(line)}`);
  for (const finding of result.findings) say(`  ${finding}`);
  return { dose: result.dose, counts: result.counts, details: { ...result, samples } };
}

/** Runs a second when there is always more to do. */
async function measureCapacity(ground: Ground, seed: number): Promise<number> {
  const startedAt = performance.now();
  await ground.feeder({ count: CALIBRATION_RUNS, seed, batch: 100, stepMs: 5 }).exited;
  await ground.settle(60_000);
  return CALIBRATION_RUNS / ((performance.now() - startedAt) / 1000);
}

async function watch(
  ground: Ground,
  workers: readonly ChaosProcess[],
  feeder: Feeder,
  seconds: number,
  say: (line: string) => void,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const startedAt = performance.now();
  const everyMs = Math.min(10_000, (seconds * 1000) / 40);
  while (feeder.isAlive()) {
    await Promise.race([pause(everyMs), feeder.exited]);
    const minute = (performance.now() - startedAt) / 60_000;
    const rss = workers.map((worker) => rssOf(worker.pid));
    const tables = await ground.ask<TableSample>(
      `select relname as name, n_dead_tup::int as dead, n_live_tup::int as live, pg_total_relation_size(relid)::float8 as bytes
       from pg_stat_user_tables where schemaname = 'engine' order by 1`,
    );
    samples.push({ minute, rss, tables });
    if (Math.floor(minute) > Math.floor(samples.at(-2)?.minute ?? 0))
      say(`soak: minute ${Math.floor(minute)}, RSS ${rss.map(Math.round).join(' and ')} MB`);
  }
  return samples;
}

/** In MB. Asked of ps, which every supported system has. */
function rssOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}

function describeMemory(samples: readonly Sample[], worker: number) {
  const points = samples.map(({ minute, rss }) => ({ x: minute / 60, y: rss[worker] ?? 0 }));
  const mean = points.reduce((sum, { y }) => sum + y, 0) / Math.max(1, points.length);
  const { slope, error } = slopeOf(points);
  const percent = (value: number) => Math.round((value / mean) * 10_000) / 100;
  return {
    worker: worker + 1,
    meanMb: Math.round(mean),
    peakMb: Math.round(Math.max(...points.map(({ y }) => y))),
    percentPerHour: percent(slope),
    /** What the samples prove: the lower end of the slope's interval. */
    atLeastPercentPerHour: percent(slope - error),
  };
}

function describeTable(samples: readonly Sample[], name: string) {
  const found = samples.map(({ tables }) => tables.find((table) => table.name === name));
  const half = Math.floor(found.length / 2);
  const most = (some: typeof found) => Math.max(0, ...some.map((table) => table?.dead ?? 0));
  return {
    name,
    deadFirstHalf: most(found.slice(0, half)),
    deadSecondHalf: most(found.slice(half)),
    bytesFirst: found[0]?.bytes ?? 0,
    bytesLast: found.at(-1)?.bytes ?? 0,
  };
}
