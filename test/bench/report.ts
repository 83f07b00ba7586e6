// What every bench reports: figures with their peers and ratios, and the machine they were measured on.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';

export interface Figure {
  readonly id: string;
  readonly value: number;
  readonly unit: string;
  readonly peers: Readonly<Record<string, number>>;
  /** Ours against each peer, so that 1.0 is a draw and more is better: rates are ours / theirs, times theirs / ours. */
  readonly ratios: Readonly<Record<string, number>>;
  /** Smallest and largest of our rounds. */
  readonly spread?: readonly [number, number];
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Load average when the bench began: others may share the machine. */
  readonly loadAtStart: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly [detail: string]: unknown;
}

export interface BenchOptions {
  readonly quick: boolean;
  /** A folder of collections, for benches that need some. */
  readonly data?: string;
  /** Only these parts of a bench that has several; all where it is left out. */
  readonly only?: readonly string[];
  readonly say: (line: string) => void;
}

export interface BenchResult {
  readonly machine: Record<string, unknown>;
  readonly figures: readonly Figure[];
}

const require = createRequire(import.meta.url);

export function describeMachine(packages: readonly string[] = []): Machine {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model.trim() ?? 'unknown',
    cores: cpus.length,
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    loadAtStart: round(os.loadavg()[0] ?? 0),
    versions: Object.fromEntries(packages.map((name) => [name, versionOf(name)])),
  };
}

function versionOf(name: string): string {
  const paths = require.resolve.paths(name) ?? [];
  for (const folder of paths) {
    try {
      return (JSON.parse(readFileSync(`${folder}/${name}/package.json`, 'utf8')) as { version: string }).version;
    } catch {
      // Not in this node_modules; the next one up may have it.
    }
  }
  return 'not installed';
}

export function onPath(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A figure where more is better. */
export function rate(id: string, rounds: readonly number[], unit: string, peers: Record<string, number>): Figure {
  return figure(id, rounds, unit, peers, (ours, theirs) => ours / theirs);
}

/** A figure where less is better. */
export function time(id: string, rounds: readonly number[], unit: string, peers: Record<string, number>): Figure {
  return figure(id, rounds, unit, peers, (ours, theirs) => theirs / ours);
}

function figure(
  id: string,
  rounds: readonly number[],
  unit: string,
  peers: Record<string, number>,
  compare: (ours: number, theirs: number) => number,
): Figure {
  const value = median(rounds);
  return {
    id,
    value: round(value),
    unit,
    peers: Object.fromEntries(Object.entries(peers).map(([name, peer]) => [name, round(peer)])),
    ratios: Object.fromEntries(Object.entries(peers).map(([name, peer]) => [name, round(compare(value, peer))])),
    spread: [round(Math.min(...rounds)), round(Math.max(...rounds))],
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

export function round(value: number): number {
  if (!Number.isFinite(value)) return value;
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return Number(value.toFixed(digits));
}

export function printFigures(figures: readonly Figure[], say: (line: string) => void): void {
  const rows = figures.map((each) => [
    each.id,
    `${each.value} ${each.unit}`,
    each.spread ? `${each.spread[0]} … ${each.spread[1]}` : '',
    Object.entries(each.peers)
      .map(([name, value]) => `${name} ${value} (${each.ratios[name] ?? '?'}×)`)
      .join(', '),
  ]);
  const head = ['figure', 'millrace', 'spread', 'beside'];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of [head, ...rows])
    say(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}
