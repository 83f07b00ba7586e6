// A small dose of the items suite on every test run, and the auditor itself. The landing dose is `npm run chaos -- items`.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compilePrograms } from '../support/programs.ts';
import { type ChaosServer, openChaosServer } from './ground.ts';
import { runItemsChaos } from './items.ts';
import { auditItems } from './items-audit.ts';
import { noCounts } from './suites/suite.ts';

let server: ChaosServer;

beforeAll(async () => {
  compilePrograms();
  server = await openChaosServer();
}, 180_000);
afterAll(() => server.close());

it('every item ends once and rightly while workers are killed and frozen, jobs paused, kicked off and reprocessed, and the provider fails', async () => {
  const { counts, findings } = await runItemsChaos({ seed: 20_261_118, kills: 4, workers: 2, freezes: 1 }, server);
  expect([counts, findings]).toEqual([noCounts, []]);
}, 240_000);

it('the auditor sees a lost item, one that is stuck, a wrong fate, an old result and wrong counters', async () => {
  const base = { job_id: 'j', claims: 2, key: null, outcome: 'FOUND', is_final: true, last_claim: 2 };
  const items = [
    { ...base, id: '1', row_index: 0, status: 'DONE', key: 'j/1/1' },
    { ...base, id: '2', row_index: 1, status: 'PENDING' },
    { ...base, id: '3', row_index: 2, status: 'SKIPPED', outcome: 'SKIPPED' },
  ];
  const ask = async (text: string) => {
    if (text.includes('from job_items i\n')) return items;
    return text.includes('is distinct from') ? [{ job_id: 'j' }] : [];
  };
  const { counts } = await auditItems({ ask: ask as never }, [{ jobId: 'j', rows: 4 }]);
  expect(counts).toMatchObject({ lost: 1, stuck: 1, zombieWrites: 1, wrong: 2 });
});
