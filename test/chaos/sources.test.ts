// A small dose of the sources suite on every test run, and the auditor itself. The landing dose is `npm run chaos -- sources`.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compilePrograms } from '../support/programs.ts';
import { type ChaosServer, openChaosServer } from './ground.ts';
import { runSourcesChaos } from './sources.ts';
import { auditSources } from './sources-audit.ts';
import { noCounts } from './suites/suite.ts';

let server: ChaosServer;

beforeAll(async () => {
  compilePrograms();
  server = await openChaosServer();
});
afterAll(() => server.close());

it('a bucket that changes while workers are killed in their syncs and the server fails has one run of each version', async () => {
  const dose = { seed: 20_261_118, kills: 3, workers: 2, objects: 12, points: ['sync.after_settled'] };
  const { counts, findings, details } = await runSourcesChaos(dose, server);
  expect([counts, findings]).toEqual([noCounts, []]);
  expect(details.killed).toBeGreaterThanOrEqual(3);
  expect(details.versions).toBeGreaterThan(12);
});

it('the auditor sees a version without a run, one with two, a receipt that does not add up and an object that is told wrong', async () => {
  const answers: Record<string, object[]> = {
    'b.original_name': [{ name: 'a.csv', sha: 'ff', phase: 'done', n: 1 }],
    'from engine.runs where': [
      { id: 's', phase: 'done', receipt: { read: 5, outcomes: { new: 1, unchanged: 1 }, vanished: 2 } },
    ],
    'from source_sync_lines': [{ sync_id: 's', fate: 'new', n: 1 }],
    'from source_objects': [{ key: 'in/a.csv', status: 'deleted', sha: null }],
  };
  const ask = async (text: string) => Object.entries(answers).find(([part]) => text.includes(part))?.[1] ?? [];
  const { counts } = await auditSources(
    { ask: ask as never },
    {
      tenantId: 't',
      sourceId: 'x',
      versions: [{ key: 'in/b.csv', content: 'b' }],
      vanished: 0,
      there: new Map([
        ['in/a.csv', 'a'],
        ['in/b.csv', 'b'],
      ]),
      gone: new Set(),
      untagged: ['in/a.csv'],
    },
  );
  expect(counts.lost).toBe(3);
  expect(counts.wrong).toBeGreaterThanOrEqual(4);
});
