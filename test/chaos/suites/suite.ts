// What every chaos suite is: a fault, a dose, and an audit in which every count must be zero.
import type { Audit, Counts } from '../auditor.ts';
import type { ChaosServer } from '../ground.ts';
import type { Random } from '../random.ts';

export interface SuiteContext {
  readonly server: ChaosServer;
  readonly random: Random;
  /** Multiplies the number of faults; 1 is what a landing needs, less is for the test suite. */
  readonly dose: Dose;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly say: (line: string) => void;
}

export interface Dose {
  /** R1: processes killed at random. */
  readonly kills: number;
  /** R2: deaths per failpoint. */
  readonly perPoint: number;
  /** R3: workers stopped past their lease. */
  readonly zombies: number;
  /** R4: races of 50 claimers. */
  readonly races: number;
  /** R5: runs while the server is stopped. */
  readonly serverRuns: number;
  /** R6: connections cut after COMMIT. */
  readonly cuts: number;
  /** R7: seconds under a starved pool. */
  readonly starvedSeconds: number;
  /** R9: runs per wrong clock. */
  readonly clockRuns: number;
  /** R11: consumers killed. */
  readonly consumerKills: number;
  /** R15: drains. */
  readonly drains: number;
  /** R15: migrations under load, with the old and the new version at work. */
  readonly upgrades: number;
}

export interface SuiteResult {
  readonly id: string;
  readonly dose: Readonly<Record<string, number>>;
  readonly counts: Counts;
  readonly findings: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
}

export type Suite = (context: SuiteContext) => Promise<SuiteResult>;

export const noCounts: Counts = { lost: 0, duplicated: 0, wrong: 0, stuck: 0, orphans: 0, zombieWrites: 0 };

export function addCounts(...all: readonly Counts[]): Counts {
  const sum = { ...noCounts } as Record<keyof Counts, number>;
  for (const counts of all) for (const key of Object.keys(sum) as (keyof Counts)[]) sum[key] += counts[key];
  return sum;
}

export function allZero(counts: Counts): boolean {
  return Object.values(counts).every((count) => count === 0);
}

/** A result from an audit, with findings of the suite's own counted as wrong. */
export function resultOf(
  id: string,
  dose: Readonly<Record<string, number>>,
  audits: readonly Audit[],
  own: readonly string[] = [],
  details: Readonly<Record<string, unknown>> = {},
): SuiteResult {
  const counts = addCounts(...audits.map((audit) => audit.counts));
  const acknowledged = audits.reduce((sum, audit) => sum + audit.acknowledged, 0);
  const lostAttempts = audits.reduce((sum, audit) => sum + audit.lostAttempts, 0);
  return {
    id,
    dose,
    counts: { ...counts, wrong: counts.wrong + own.length },
    findings: [...audits.flatMap((audit) => audit.findings), ...own.map((what) => `wrong: ${what}`)],
    details: { acknowledged, lostAttempts, ...details },
  };
}
