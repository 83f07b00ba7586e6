// R18: a soak. Two workers at half of what they can do, for as long as asked. Watches what must not grow with time: the memory of
// the processes, and the dead rows and sizes of the tables that every run passes through. Audited at the end like every fault.
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { compilePrograms } from '../support/programs.ts';
import type { Counts } from './auditor.ts';
import { type ChaosProcess, type ChaosServer, type Feeder, type Ground, openChaosServer } from './ground.ts';
import { growthIn, queueTables, type SoakBars, type SoakSample, type TableSample } from './soak-growth.ts';
import { resultOf, type SuiteResult } from './suites/suite.ts';

const WORKERS = 2;
const BATCH = 10;

export interface SoakDose {
  readonly minutes: number;
  /** Submitted at once to find out what the workers can do. */
  readonly capacityRuns: number;
  /** A soak that submits next to nothing proves nothing: on a slow machine it lasts until it has submitted as many. */
  readonly leastRuns: number;
  /** Clears dead rows before each look. Autovacuum waits for more of them than a soak of seconds makes; what is left is held by somebody. */
  readonly vacuums: boolean;
  readonly bars: SoakBars;
}

/** For minutes and hours, with the vacuum that the product relies on. */
export function longSoak(minutes: number): SoakDose {
  // Dead rows: four times what autovacuum lets stand in a queue table before it comes by.
  return {
    minutes,
    capacityRuns: 1_500,
    leastRuns: 1_500,
    vacuums: false,
    bars: { percentPerHour: 1, deadRows: 20_000 },
  };
}

/** For every `npm test`. In seconds a slope says nothing, as code is still being compiled and caches fill: growth is bounded in MB. */
export const smallSoak: SoakDose = {
  minutes: 0.075,
  capacityRuns: 200,
  leastRuns: 60,
  vacuums: true,
  bars: { growthMb: 40, deadRows: 100 },
};

export interface SoakOptions {
  readonly seed: number;
  readonly dose: SoakDose;
  readonly say: (line: string) => void;
}

export async function runSoak(options: SoakOptions): Promise<{ dose: unknown; counts: Counts; details: unknown }> {
  compilePrograms();
  const server = await openChaosServer();
  try {
    const result = await soakOn(server, options);
    return { dose: result.dose, counts: result.counts, details: result };
  } finally {
    await server.close();
  }
}

export async function soakOn(server: ChaosServer, options: SoakOptions): Promise<SuiteResult> {
  const ground = await server.ground({ leaseMs: 60_000, heartbeatMs: 3_000, concurrency: 8, drainMs: 5_000 });
  try {
    return await soak(ground, options);
  } finally {
    await ground.close();
  }
}

async function soak(ground: Ground, { seed, dose, say }: SoakOptions): Promise<SuiteResult> {
  const { minutes, capacityRuns, leastRuns, bars } = dose;
  const workers = Array.from({ length: WORKERS }, () => ground.worker({ consume: true }));
  await Promise.all(workers.map((worker) => worker.until('ready')));
  const perSecond = Math.max(2, Math.floor((await measureCapacity(ground, capacityRuns, seed)) / 2));
  say(`soak: ${perSecond} runs a second, half of what ${WORKERS} workers can do, for ${minutes} minutes`);
  const everyMs = (BATCH / perSecond) * 1000;
  const count = Math.max(leastRuns, Math.round(perSecond * minutes * 60));
  const feeder = ground.feeder({ count, seed: seed + 1, batch: BATCH, everyMs, stepMs: 5 });
  const samples = await watch(ground, workers, feeder, dose, say);
  await feeder.exited;
  await ground.settle(30_000);
  const audit = ground.audit();
  const { memory, tables, findings } = growthIn(samples, minutes, bars);
  const own = [...findings, ...(audit.lostAttempts > 0 ? [`${audit.lostAttempts} runs were declared lost`] : [])];
  const result = resultOf({
    ...{ id: 'R18', dose: { minutes, perSecond }, audits: [audit], own },
    atLeast: { acknowledged: capacityRuns + count },
    details: { memory, tables, samples },
  });
  for (const line of [...memory, ...tables]) say(`soak: ${JSON.stringify(line)}`);
  for (const finding of result.findings) say(`  ${finding}`);
  return result;
}

/** Runs a second when there is always more to do. */
async function measureCapacity(ground: Ground, runs: number, seed: number): Promise<number> {
  const startedAt = performance.now();
  await ground.feeder({ count: runs, seed, batch: 100, stepMs: 5 }).exited;
  await ground.settle(60_000);
  return runs / ((performance.now() - startedAt) / 1000);
}

async function watch(
  ground: Ground,
  workers: readonly ChaosProcess[],
  feeder: Feeder,
  { minutes, vacuums }: SoakDose,
  say: (line: string) => void,
): Promise<SoakSample[]> {
  const samples: SoakSample[] = [];
  const startedAt = performance.now();
  const everyMs = Math.min(10_000, (minutes * 60_000) / 40);
  while (feeder.isAlive()) {
    await Promise.race([pause(everyMs), feeder.exited]);
    const minute = (performance.now() - startedAt) / 60_000;
    const rss = workers.map((worker) => rssOf(worker.pid));
    if (vacuums) await ground.ask(`vacuum ${queueTables.map((name) => `engine.${name}`).join(', ')}`);
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
