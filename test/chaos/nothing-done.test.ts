// Suites on ground where nothing works: nobody submits anything, nobody works, nothing breaks, and the auditor, who compares nothing with nothing, has no
// complaint. Each must say that it has proved nothing. R22, which needs two servers of its own to come so far, is left to `resultOf`.
import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { hasPgBouncer } from '../support/pgbouncer.ts';
import type { Audit } from './auditor.ts';
import { smallDose, suites } from './engine.ts';
import type { ChaosProcess, ChaosServer, Ground } from './ground.ts';
import { randomFrom } from './random.ts';
import { noCounts, resultOf } from './suites/suite.ts';

const nothing: Audit = {
  ...{ counts: noCounts, acknowledged: 0, ended: 0, runs: 0, lostAttempts: 0, recoveryP95Ms: null, findings: [] },
};

/** Ends at once, as after a kill, and has said nothing. */
function deadProcess(end: NodeJS.Signals | number): ChaosProcess {
  return {
    ...{ pid: 0, orders: {}, said: [], exited: Promise.resolve(end), isAlive: () => false },
    until: async () => {},
    signal() {},
  };
}

const emptyGround = {
  ...{ adminUrl: 'postgres://127.0.0.1:1/none', appUrl: 'postgres://127.0.0.1:1/none', ledger: '', leaseMs: 1 },
  worker: () => deadProcess(0),
  feeder: () => deadProcess(0),
  kill() {},
  ask: async () => [],
  settle: async () => {},
  audit: () => nothing,
  close: async () => {},
} as unknown as Ground;

const emptyServer = {
  ...{ adminUrl: emptyGround.adminUrl, appUrl: emptyGround.appUrl },
  stopImmediately() {},
  ground: async () => emptyGround,
  close: async () => {},
} as unknown as ChaosServer;

const calm = { random: randomFrom(1), heartbeatMs: 5, say() {} };

const onEmptyGround = ['R1', 'R3', 'R5', 'R7', 'R9', 'R11', 'R15', 'R19'];
const onRealDatabase = ['R2', 'R4', 'R6', 'R15-upgrade', 'R20', 'R21', 'R23'];

it('each suite is tried on such ground', () => {
  expect([...onEmptyGround, ...onRealDatabase, 'R22'].sort()).toEqual(Object.keys(suites).sort());
});

describe('a suite in which nothing happened fails', () => {
  it.each(onEmptyGround)('%s', async (id) => {
    const result = await suites[id]?.({
      ...{ ...calm, server: emptyServer, leaseMs: 10 },
      dose: { ...smallDose, starvedSeconds: 0 },
    });
    expect(result?.counts.wrong).toBeGreaterThanOrEqual(2);
    expect(result?.findings.join()).toContain('acknowledged: 0');
  });
});

describe('on a real database, a suite in which nobody submits or works fails', () => {
  const database = useDatabase();
  const one = { perPoint: 1, races: 1, cuts: 1, upgrades: 1, doubts: 1, stalls: 1, poolerTroubles: 1 };

  beforeAll(async () => {
    await database.admin.query(
      'create schema chaos; create table chaos.stalls (run_id uuid); create table chaos.effects (run_id uuid)',
    );
  });

  it.each(onRealDatabase)('%s', async (id) => {
    if (id === 'R23' && !hasPgBouncer()) return;
    const { adminUrl, appUrl } = database;
    const ground = {
      ...emptyGround,
      ...{ adminUrl, appUrl, leaseMs: 2_000 },
      worker: () => deadProcess('SIGKILL'),
      feeder: () => deadProcess('SIGKILL'),
      // A claim that seems to wait for its lock need not be waited for.
      ask: async (text: string) => (text.includes('pg_locks') ? [{}] : []),
    } as unknown as Ground;
    const server = { ...emptyServer, adminUrl, appUrl, ground: async () => ground } as unknown as ChaosServer;
    const result = await suites[id]?.({ ...calm, server, leaseMs: 200, dose: { ...smallDose, ...one } });
    expect(result?.counts.wrong).toBeGreaterThanOrEqual(1);
    expect(result?.findings.join()).toContain('acknowledged: 0');
  });
});

describe('the result of a suite', () => {
  const evidence = { id: 'R0', dose: {}, atLeast: { acknowledged: 10, faults: 3 } };
  const audit = { ...nothing, acknowledged: 10, ended: 10 };

  it('is clean when as much happened as was demanded', () => {
    expect(resultOf({ ...evidence, audits: [audit], details: { faults: 3 } })).toMatchObject({
      counts: noCounts,
      findings: [],
    });
  });

  it.each([
    ['too little was acknowledged', { ...audit, acknowledged: 9 }, 3],
    ['too little of it has ended', { ...audit, ended: 9 }, 3],
    ['the fault struck too rarely', audit, 2],
    ['nobody counted the fault', audit, undefined],
  ])('is wrong when %s', (_, found, faults) => {
    const { counts, findings } = resultOf({ ...evidence, audits: [found], details: { faults } });
    expect(counts.wrong).toBe(1);
    expect(findings[0]).toMatch(/proves nothing/);
  });
});
