// A small dose of every fault, at small timings. The landing and release doses are `npm run chaos -- engine`.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failpoints } from '../../src/platform/failpoints.ts';
import { compilePrograms } from '../support/programs.ts';
import { runSuite, smallDose, suites } from './engine.ts';
import { type ChaosServer, openChaosServer } from './ground.ts';
import { smallSoak, soakOn } from './soak.ts';
import { engineFailpoints, provedElsewhere } from './suites/r2-failpoints.ts';
import { noCounts } from './suites/suite.ts';

let server: ChaosServer;

beforeAll(async () => {
  compilePrograms();
  server = await openChaosServer();
});

afterAll(async () => {
  await server.close();
});

const sourceOf = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const faults: readonly (readonly [keyof typeof suites & string, string])[] = [
  ['R1', 'workers killed at random'],
  ['R2', 'a process that dies at every named boundary'],
  ['R3', 'workers frozen past their lease, also inside a transaction'],
  ['R4', 'fifty claimers on one expired lease, and a cap under three processes'],
  ['R5', 'a server that is stopped at once and backends that are terminated'],
  ['R6', 'connections cut after COMMIT was sent'],
  ['R7', 'a pool that is far too small'],
  ['R9', 'clocks that are wrong by minutes and days'],
  ['R11', 'consumers killed before and after they mark'],
  ['R15', 'workers drained under load'],
  ['R15-upgrade', 'a migration under load, with an old and a new version at work side by side'],
  ['R19', 'connections that fall silent, lose requests and answer late'],
  ['R20', 'claims that are committed when nobody hears of it'],
  ['R21', 'statements that wait for a lock nobody lets go'],
  ['R22', 'a replica that lagged behind and is promoted'],
  ['R23', 'a pooler that is restarted, paused and short of connections'],
];

/** They say that no lease is lost while nobody is killed or frozen: a process that a busy machine leaves aside for two seconds is no fault. */
const undisturbed = new Set(['R7', 'R9', 'R15', 'R15-upgrade']);

describe('nothing is lost, doubled, wrong, stuck or left behind by', () => {
  it.each(faults)('%s: %s', async (id) => {
    const result = await runSuite(server, id, {
      seed: 20_261_115,
      dose: smallDose,
      leaseMs: undisturbed.has(id) ? 30_000 : 1_500,
      heartbeatMs: 300,
      say() {},
    });
    expect(result.findings).toEqual([]);
    expect(result.counts).toEqual(noCounts);
  });

  it('R18: seconds at half load, and neither memory nor dead rows gather meanwhile', async () => {
    const result = await soakOn(server, { seed: 20_261_115, dose: smallSoak, say() {} });
    expect(result.findings).toEqual([]);
    expect(result.counts).toEqual(noCounts);
    expect(result.details.acknowledged).toBeGreaterThanOrEqual(smallSoak.capacityRuns + smallSoak.leastRuns);
  });
});

describe('the suites', () => {
  it('have a test for each', () => {
    expect(faults.map(([id]) => id)).toEqual(Object.keys(suites));
  });

  it('die at no fewer than 25 boundaries of the engine', () => {
    expect(engineFailpoints.length).toBeGreaterThanOrEqual(25);
  });

  it('leave no failpoint to nobody: what R2 does not reach is named in the test that dies there', () => {
    const missing = failpoints.filter((name) => {
      const prefix = Object.keys(provedElsewhere).find((start) => name.startsWith(start));
      const file = prefix === undefined ? undefined : provedElsewhere[prefix];
      return file !== undefined && !sourceOf(file).includes(`'${name}'`);
    });
    expect(missing).toEqual([]);
  });
});

describe('the auditor', () => {
  it('finds what is planted: a lost, a doubled, a wrong and a stuck run, an orphan and the write of a zombie', async () => {
    const ground = await server.ground({ leaseMs: 1_500, heartbeatMs: 300, pollMs: 50 });
    try {
      const worker = ground.worker();
      await worker.until('ready');
      await ground.feeder({ count: 8, seed: 1, stepMs: 0 }).exited;
      await ground.settle();
      worker.signal('SIGTERM');
      await worker.exited;
      expect(ground.audit().counts).toEqual(noCounts);
      const runs = await ground.ask<{ id: string }>(
        `select id from engine.runs where status = 'completed' order by id`,
      );
      const [lost, doubled, wrong, zombie] = runs.map((run) => run.id);
      await ground.ask(
        `with as_restored as materialized (select set_config('session_replication_role', 'replica', true))
         delete from engine.runs using as_restored where id = $1`,
        [lost],
      );
      await ground.ask(`insert into chaos.effects select * from chaos.effects where run_id = $1 and part = 0`, [
        doubled,
      ]);
      await ground.ask(`update chaos.totals set total = total + 1 where run_id = $1`, [wrong]);
      await ground.ask(
        `insert into engine.attempts (run_id, attempt, tenant_id, stage, worker_id, outcome, queued_at, started_at)
         select id, 99, tenant_id, 'gather', gen_random_uuid(), 'complete', created_at, created_at from engine.runs where id = $1`,
        [zombie],
      );
      await ground.ask(
        `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input)
         values (gen_random_uuid(), gen_random_uuid(), 'tally', 'queued', 'waiting', '', '{}')`,
      );
      const { counts } = ground.audit();
      expect(counts.lost).toBeGreaterThan(0);
      expect(counts.duplicated).toBe(1);
      expect(counts.wrong).toBeGreaterThan(0);
      expect(counts.stuck).toBe(1);
      expect(counts.orphans).toBeGreaterThan(0);
      expect(counts.zombieWrites).toBeGreaterThan(0);
    } finally {
      await ground.close();
    }
  });
});
