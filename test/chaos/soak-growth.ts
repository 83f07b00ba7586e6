// What a soak must not see: memory that grows with time, and dead rows that gather in the tables every run passes through. Judges the
// samples of a soak; takes none itself.
import { slopeOf } from './trend.ts';

/** Of the soak: caches, pools and compiled code come up first. */
const WARM_UP = 0.2;
/** Every run passes through them, so what stays behind in them gathers. */
export const queueTables = ['ready', 'leases', 'scheduled', 'workers', 'event_inbox', 'consumers'];

export interface SoakBars {
  /** RSS may not be proved to grow faster. Says something from minutes on. */
  readonly percentPerHour?: number;
  /** From the first third of the samples to the last, RSS may not grow by more. For a soak of seconds. */
  readonly growthMb?: number;
  /** Most dead rows by which a table may be proved to have grown. */
  readonly deadRows: number;
}

export interface TableSample {
  readonly name: string;
  readonly dead: number;
  readonly live: number;
  readonly bytes: number;
}

export interface SoakSample {
  readonly minute: number;
  /** Of each worker, in MB. */
  readonly rss: readonly number[];
  readonly tables: readonly TableSample[];
}

/** What the samples say, and in words what is over a bar. */
export function growthIn(samples: readonly SoakSample[], minutes: number, bars: SoakBars) {
  // On a slow machine the soak lasts longer than asked, and so does its warm-up.
  const lasted = Math.max(minutes, samples.at(-1)?.minute ?? 0);
  const settled = samples.filter(({ minute }) => minute >= lasted * WARM_UP);
  const memory = (samples[0]?.rss ?? []).map((_, worker) => describeMemory(settled, worker));
  const tables = queueTables.map((name) => describeTable(settled, name));
  const { percentPerHour = Number.POSITIVE_INFINITY, growthMb = Number.POSITIVE_INFINITY, deadRows } = bars;
  const findings = [
    ...memory
      .filter(({ atLeastPercentPerHour: least }) => least > percentPerHour)
      .map(({ worker, percentPerHour: grows }) => `worker ${worker} grows by ${grows} % an hour`),
    ...memory
      .filter((found) => found.growthMb > growthMb)
      .map((found) => `worker ${found.worker} has grown by ${found.growthMb} MB`),
    ...tables
      .filter(({ gatheredDead }) => gatheredDead > deadRows)
      .map(({ name, gatheredDead }) => `engine.${name} gathers dead rows: ${gatheredDead} and more`),
  ];
  return { memory, tables, findings };
}

function describeMemory(samples: readonly SoakSample[], worker: number) {
  const points = samples.map(({ minute, rss }) => ({ x: minute / 60, y: rss[worker] ?? 0 }));
  const third = Math.ceil(points.length / 3);
  const { slope, error } = slopeOf(points);
  const whole = meanOf(points);
  const percent = (value: number) => Math.round((value / whole) * 10_000) / 100;
  return {
    worker: worker + 1,
    meanMb: Math.round(whole),
    peakMb: Math.round(Math.max(...points.map(({ y }) => y))),
    growthMb: Math.round(meanOf(points.slice(-third)) - meanOf(points.slice(0, third))),
    percentPerHour: percent(slope),
    /** What the samples prove: the lower end of the slope's interval. */
    atLeastPercentPerHour: percent(slope - error),
  };
}

function meanOf(points: readonly { readonly y: number }[]): number {
  return points.reduce((sum, { y }) => sum + y, 0) / Math.max(1, points.length);
}

function describeTable(samples: readonly SoakSample[], name: string) {
  const found = samples.map(({ tables }) => tables.find((table) => table.name === name));
  const points = samples.map(({ minute }, index) => ({ x: minute, y: found[index]?.dead ?? 0 }));
  const { slope, error } = slopeOf(points);
  return {
    name,
    mostDead: Math.max(0, ...points.map(({ y }) => y)),
    /** What comes and goes with a vacuum is noise; this is what the samples prove beyond it. */
    gatheredDead: Math.max(0, Math.round((slope - error) * ((points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0)))),
    bytesFirst: found[0]?.bytes ?? 0,
    bytesLast: found.at(-1)?.bytes ?? 0,
  };
}
