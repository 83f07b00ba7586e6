// The figures only Millrace has; see `engine-measures.ts`.

import { hasPgBouncer } from '../../support/pgbouncer.ts';
import { type BenchOptions, type Figure, rate, round, time } from '../report.ts';
import type { Arena } from './arena.ts';
import { measureCrowdFairness, measureHorizon, measureLongRuns } from './engine-measures.ts';
import { measurePooledDrain } from './pooled-drain.ts';

export interface EngineDose {
  readonly crowdRuns: number;
  readonly crowdTenants: number;
  readonly crowdRounds: number;
  readonly longMs: number;
  readonly longWaves: number;
  readonly longRounds: number;
  /** None in the quick bench. */
  readonly horizonRuns: number;
  readonly horizonRounds: number;
  readonly pooledRuns: number;
  readonly pooledRounds: number;
}

export const fullEngineDose: EngineDose = {
  crowdRuns: 20_000,
  crowdTenants: 1_000,
  crowdRounds: 3,
  longMs: 4_000,
  longWaves: 3,
  longRounds: 3,
  horizonRuns: 200_000,
  horizonRounds: 1,
  pooledRuns: 50_000,
  pooledRounds: 5,
};

export const quickEngineDose: EngineDose = {
  ...fullEngineDose,
  crowdRounds: 1,
  longMs: 2_000,
  longWaves: 2,
  longRounds: 1,
  horizonRuns: 0,
  horizonRounds: 0,
  pooledRuns: 10_000,
  pooledRounds: 1,
};

/** By the name that `--only` knows each part by. */
export function engineParts(arena: Arena, dose: EngineDose, options: BenchOptions): Record<string, Part> {
  const repeated = async (what: string, rounds: number, measure: () => Promise<number>) => {
    const found: number[] = [];
    for (let number = 0; number < rounds; number += 1) {
      found.push(await measure());
      options.say(`round ${number + 1} of ${rounds}: ${what}: ${round(found.at(-1) ?? 0)}`);
    }
    return found;
  };
  return {
    async crowd() {
      const what = 'ms until the last of ten runs has started among 1,000 tenants';
      const measure = () => measureCrowdFairness(arena, dose.crowdRuns, dose.crowdTenants);
      return [time('fairness-crowd-ms', await repeated(what, dose.crowdRounds, measure), 'ms', {})];
    },
    async 'long-runs'() {
      const what = 'time of long runs over four workers against ideal';
      const measure = () => measureLongRuns(arena, dose.longMs, dose.longWaves);
      return [time('long-runs-ratio', await repeated(what, dose.longRounds, measure), '×', {})];
    },
    async horizon() {
      if (dose.horizonRounds === 0) return [];
      const found = await repeated('drain with an old snapshot against without', dose.horizonRounds, async () => {
        const free = await measureHorizon(arena, dose.horizonRuns, false);
        return (await measureHorizon(arena, dose.horizonRuns, true)) / free;
      });
      return [rate('horizon-ratio', found, '×', {})];
    },
    pooled: () => pooledFigure(arena, dose, options),
  };
}

export type Part = () => Promise<Figure[]>;

/** Where there is a PgBouncer: a drain behind it against one past it, side by side in alternating order. */
async function pooledFigure(arena: Arena, dose: EngineDose, { say }: BenchOptions): Promise<Figure[]> {
  if (!hasPgBouncer()) return [];
  const ratios: number[] = [];
  for (let number = 0; number < dose.pooledRounds; number += 1) {
    const { pooled, direct } = await measurePooledDrain(arena, dose.pooledRuns, number % 2 === 0);
    ratios.push(pooled / direct);
    say(
      `round ${number + 1} of ${dose.pooledRounds}: drain behind PgBouncer ${round(pooled)}/s, direct ${round(direct)}/s`,
    );
  }
  return [rate('pooled-drain', ratios, '×', {})];
}
