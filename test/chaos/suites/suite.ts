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
  /** R19: times that all connections fall silent. */
  readonly silences: number;
  /** R20: claims in doubt. */
  readonly doubts: number;
  /** R21: locks that are not let go. */
  readonly stalls: number;
  /** R22: replicas promoted. */
  readonly promotions: number;
  /** R23: restarts and pauses of a pooler. */
  readonly poolerTroubles: number;
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

export interface Evidence {
  readonly id: string;
  readonly dose: Readonly<Record<string, number>>;
  readonly audits: readonly Audit[];
  /**
   * The least that must have happened, by the name of a detail: acknowledged runs, runs that ended, and the faults themselves. A
   * suite in which less happened has proved nothing, and fails.
   */
  readonly atLeast: Readonly<Record<string, number>> & { readonly acknowledged: number };
  /** Findings of the suite's own. */
  readonly own?: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A result from audits. What the suite found itself, and what did not happen often enough, counts as wrong. */
export function resultOf({ id, dose, audits, atLeast, own = [], details = {} }: Evidence): SuiteResult {
  const counts = addCounts(...audits.map((audit) => audit.counts));
  const sum = (of: (audit: Audit) => number) => audits.reduce((total, audit) => total + of(audit), 0);
  const all = {
    acknowledged: sum((audit) => audit.acknowledged),
    ended: sum((audit) => audit.ended),
    lostAttempts: sum((audit) => audit.lostAttempts),
    ...details,
  };
  const wrong = [...own, ...shortfalls(all, { ended: atLeast.acknowledged, ...atLeast })];
  return {
    id,
    dose,
    counts: { ...counts, wrong: counts.wrong + wrong.length },
    findings: [...audits.flatMap((audit) => audit.findings), ...wrong.map((what) => `wrong: ${what}`)],
    details: all,
  };
}

/** What happened less often than it must have, a sentence each. */
export function shortfalls(
  details: Readonly<Record<string, unknown>>,
  atLeast: Readonly<Record<string, number>>,
): string[] {
  return Object.entries(atLeast).flatMap(([name, least]) => {
    const found = details[name];
    if (typeof found === 'number' && found >= least) return [];
    return [`${name}: ${String(found)}, and less than ${least} proves nothing`];
  });
}
