// The engine under fire: every fault of the engine in turn, each on a database of its own, each audited.
import { compilePrograms } from '../support/programs.ts';
import { type ChaosServer, openChaosServer } from './ground.ts';
import { randomFrom } from './random.ts';
import { killAtRandom } from './suites/r1-kill.ts';
import { killAtFailpoints } from './suites/r2-failpoints.ts';
import { stopZombies } from './suites/r3-zombies.ts';
import { raceClaimers } from './suites/r4-claimers.ts';
import { stopServer } from './suites/r5-server.ts';
import { cutCommits } from './suites/r6-cut-commits.ts';
import { starvePool } from './suites/r7-starved-pool.ts';
import { skewClocks } from './suites/r9-clocks.ts';
import { killConsumers } from './suites/r11-consumers.ts';
import { drainUnderLoad } from './suites/r15-drain.ts';
import { upgradeUnderLoad } from './suites/r15-upgrade.ts';
import { silenceNetwork } from './suites/r19-silent-network.ts';
import { doubtClaims } from './suites/r20-doubtful-claims.ts';
import { stallStatements } from './suites/r21-stalled-statements.ts';
import { promoteReplica } from './suites/r22-promoted-replica.ts';
import { troublePooler } from './suites/r23-pooler.ts';
import type { Dose, Suite, SuiteResult } from './suites/suite.ts';

export const suites: Readonly<Record<string, Suite>> = {
  R1: killAtRandom,
  R2: killAtFailpoints,
  R3: stopZombies,
  R4: raceClaimers,
  R5: stopServer,
  R6: cutCommits,
  R7: starvePool,
  R9: skewClocks,
  R11: killConsumers,
  R15: drainUnderLoad,
  'R15-upgrade': upgradeUnderLoad,
  R19: silenceNetwork,
  R20: doubtClaims,
  R21: stallStatements,
  R22: promoteReplica,
  R23: troublePooler,
};

/** For every `npm test`. */
export const smallDose: Dose = {
  kills: 8,
  perPoint: 1,
  zombies: 2,
  races: 5,
  serverRuns: 60,
  cuts: 5,
  starvedSeconds: 2,
  clockRuns: 10,
  consumerKills: 4,
  drains: 3,
  upgrades: 1,
  silences: 2,
  doubts: 2,
  stalls: 1,
  promotions: 1,
  poolerTroubles: 2,
};

/** Before a change of the engine lands. */
export const landingDose: Dose = {
  kills: 200,
  perPoint: 3,
  zombies: 30,
  races: 100,
  serverRuns: 300,
  cuts: 100,
  starvedSeconds: 120,
  clockRuns: 50,
  consumerKills: 50,
  drains: 20,
  upgrades: 10,
  silences: 40,
  doubts: 40,
  stalls: 15,
  promotions: 6,
  poolerTroubles: 30,
};

export const releaseDose: Dose = {
  kills: 3_000,
  perPoint: 40,
  zombies: 500,
  races: 1_000,
  serverRuns: 5_000,
  cuts: 1_000,
  starvedSeconds: 600,
  clockRuns: 200,
  consumerKills: 500,
  drains: 20,
  upgrades: 20,
  silences: 500,
  doubts: 500,
  stalls: 100,
  promotions: 50,
  poolerTroubles: 100,
};

export interface EngineChaosOptions {
  readonly seed: number;
  readonly dose: Dose;
  readonly only?: readonly string[] | undefined;
  readonly leaseMs?: number;
  readonly heartbeatMs?: number;
  readonly say: (line: string) => void;
}

export async function runEngineChaos(options: EngineChaosOptions): Promise<SuiteResult[]> {
  compilePrograms();
  const server = await openChaosServer();
  const results: SuiteResult[] = [];
  try {
    for (const id of Object.keys(suites))
      if (options.only === undefined || options.only.includes(id)) results.push(await runSuite(server, id, options));
    return results;
  } finally {
    await server.close();
  }
}

export async function runSuite(server: ChaosServer, id: string, options: EngineChaosOptions): Promise<SuiteResult> {
  const suite = suites[id];
  if (!suite) throw new Error(`there is no suite ${id}; there are ${Object.keys(suites).join(', ')}`);
  const startedAt = performance.now();
  const { counts, dose, details, findings } = await suite({
    server,
    random: randomFrom(options.seed),
    dose: options.dose,
    leaseMs: options.leaseMs ?? 3_000,
    heartbeatMs: options.heartbeatMs ?? 1_000,
    say: options.say,
  });
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  options.say(`${id}: ${[counts, dose, details].map((part) => JSON.stringify(part)).join(' ')} ${seconds} s`);
  for (const finding of findings) options.say(`  ${finding}`);
  return { id, counts, dose, findings, details: { ...details, seconds } };
}
