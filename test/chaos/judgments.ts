// Batches of court judgments are delivered twice at once, with other content, and superseded by revisions, while their workers are killed at
// every boundary and at random, and frozen until others have taken their batches. What must hold is counted by judgments-audit.ts from a
// reference that is computed without the product.
//
//   npm run chaos -- judgments --seed 7 --kills 100
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Counts } from './auditor.ts';
import { openFindings } from './findings.ts';
import { type ChaosServer, openChaosServer, patienceMs } from './ground.ts';
import { auditJudgments, type JudgedTenant } from './judgments-audit.ts';
import { boundaries, JudgmentsCrew } from './judgments-crew.ts';
import { openSenders } from './judgments-senders.ts';
import { sendSeries } from './judgments-series.ts';
import { randomFrom } from './random.ts';
import { addCounts, shortfalls } from './suites/suite.ts';

export interface JudgmentsDose {
  readonly seed: number;
  readonly kills: number;
  readonly workers: number;
  /** Workers that are frozen until others have taken their batches. */
  readonly freezes: number;
  /** Deaths with a batch half read, and as many with one half stored. */
  readonly halfway: number;
  /** Cases of a batch, from and to. */
  readonly rows: readonly [number, number];
  /** Tenants whose first batch is so large that it is stored in many lanes. */
  readonly large: number;
  /** Whether a worker must have died at each boundary. */
  readonly everywhere: boolean;
  readonly say?: (line: string) => void;
}

export interface JudgmentsResult {
  readonly dose: Omit<JudgmentsDose, 'say'>;
  readonly counts: Counts;
  readonly findings: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
}

type Size = Omit<JudgmentsDose, 'seed' | 'say'>;
export const smallJudgments: Size = {
  ...{ kills: 3, workers: 2, freezes: 1, halfway: 1 },
  ...{ rows: [150, 300], large: 0, everywhere: false },
};
export const landingJudgments: Size = {
  ...{ kills: 100, workers: 3, freezes: 10, halfway: 10 },
  ...{ rows: [300, 1_200], large: 2, everywhere: true },
};

const settings = { leaseMs: 1_500, heartbeatMs: 400, pollMs: 50, concurrency: 2, lostLimit: 100_000 };
/** Stored in many lanes; some cases are left out of each. */
const LARGE_ROWS = 21_500;
/** Tenants at a time: more work than workers, so that whoever is killed has a batch. */
const AT_A_TIME = 3;
const BATCHES = 3;

export async function runJudgmentsChaos(
  { say, ...dose }: JudgmentsDose,
  server?: ChaosServer,
): Promise<JudgmentsResult> {
  const own = server ?? (await openChaosServer());
  const ground = await own.ground(settings);
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-judgments-chaos-'));
  const senders = await openSenders(ground.appUrl, folder);
  const crew = new JudgmentsCrew({ ground, folder, settings, random: randomFrom(dose.seed), ...dose });
  const { counts, findings, find } = openFindings();
  const done = { twice: 0, refused: 0, revisions: 0 };
  const tenants: JudgedTenant[] = [];
  const deadline = Date.now() + 120_000 + dose.kills * 5_000 + patienceMs;
  const isThrough = () => crew.isDone() || Date.now() > deadline;
  let begun = 0;
  const sendUntilThrough = async () => {
    do {
      begun += 1;
      const random = randomFrom(dose.seed + begun);
      const first = begun <= dose.large ? LARGE_ROWS : random.between(...dose.rows);
      const rows = [first, random.between(...dose.rows)] as const;
      tenants.push(await sendSeries({ ground, senders, find, done }, { random, rows }));
      say?.(
        `${tenants.length} tenants, ${crew.killed} of ${dose.kills} kills, ${crew.frozen} of ${dose.freezes} frozen`,
      );
    } while (!isThrough());
  };
  try {
    for (let number = 0; number < dose.workers; number += 1) crew.hire();
    const disturbing = crew.disturbUntil(isThrough);
    await Promise.all(Array.from({ length: AT_A_TIME }, sendUntilThrough));
    await disturbing;
    crew.calm();
    await ground.settle(30_000);
    const audit = await auditJudgments(ground, tenants);
    const { missing, details } = whatHappened(dose, tenants, crew, done);
    const all = addCounts(audit.counts, counts);
    return {
      dose,
      counts: { ...all, wrong: all.wrong + missing.length },
      findings: [...audit.findings, ...findings, ...missing],
      details,
    };
  } finally {
    await crew.dismiss();
    await senders.close();
    await ground.close();
    rmSync(folder, { recursive: true, force: true });
    if (server === undefined) await own.close();
  }
}

/** With the least that must have happened: less proves nothing. */
function whatHappened(
  { kills, freezes, halfway, everywhere }: Size,
  tenants: readonly JudgedTenant[],
  crew: JudgmentsCrew,
  done: { readonly twice: number; readonly refused: number; readonly revisions: number },
) {
  const runs = tenants.flatMap((tenant) => tenant.runs);
  const rows = runs.reduce((sum, { expected }) => sum + expected.read, 0);
  const refusedRows = runs.reduce((sum, { expected }) => sum + (expected.outcomes.rejected ?? 0), 0);
  const { killed, frozen, byPoint, byStep } = crew;
  const details = {
    tenants: tenants.length,
    acknowledged: runs.length,
    rows,
    refusedRows,
    killed,
    frozen,
    ...done,
    ...{ byPoint, byStep },
  };
  const atLeast = {
    ...{ acknowledged: AT_A_TIME * BATCHES, rows: 1_000, refusedRows: 10, killed: kills, frozen: freezes },
    ...{ twice: AT_A_TIME * BATCHES, refused: AT_A_TIME, revisions: AT_A_TIME },
  };
  const points = everywhere ? Object.fromEntries(boundaries.map(({ name }) => [name, 1])) : {};
  const steps = { reading: halfway, storing: halfway };
  const missing = [shortfalls(details, atLeast), shortfalls(byPoint, points), shortfalls(byStep, steps)].flat();
  return { details, missing };
}
