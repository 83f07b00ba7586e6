// A small dose of the items suite, and its auditor. The large doses are `npm run chaos -- items`.
import { expect, it } from 'vitest';
import { compilePrograms } from '../support/programs.ts';
import { runItemsChaos } from './items.ts';
import { auditItems } from './items-audit.ts';

it('the auditor sees a lost item, one that is stuck, a wrong fate, an old result, a try under two keys and wrong counters', async () => {
  const claimed = { claims: 2, attempts: 2, key: null, key_attempt: null, answers: 1 };
  const base = { job_id: 'j', ...claimed, outcome: 'FOUND', is_final: true, last_claim: 2 };
  const items = [
    { ...base, id: '1', row_index: 0, status: 'DONE', key: 'j/1/0.0', key_attempt: 1, last_key: 'j/1/0.0' },
    { ...base, id: '2', row_index: 1, status: 'PENDING' },
    { ...base, id: '3', row_index: 2, status: 'SKIPPED', outcome: 'SKIPPED' },
    { ...base, id: '4', row_index: 3, status: 'NOT_FOUND', outcome: 'NOT_FOUND' },
  ];
  const asked = ['1', '3', '4'].map((itemId) => ({ jobId: 'j', itemId, key: `j/${itemId}/0.0` }));
  asked.push({ jobId: 'j', itemId: '4', key: 'j/4/1' });
  const ask = async (text: string) => {
    if (text.includes('from job_items i\n')) return items;
    return text.includes('is distinct from') ? [{ job_id: 'j' }] : [];
  };
  const { counts } = await auditItems({ ask: ask as never }, [{ jobId: 'j', rows: 5 }], asked);
  expect(counts).toMatchObject({ lost: 1, stuck: 1, zombieWrites: 1, duplicated: 1, wrong: 2 });
});

it('after kills, a frozen worker, pauses, kick-offs and reprocessing each item has one fate, none from an old attempt, and the counters equal a recount', async () => {
  compilePrograms();
  const { counts, findings, details } = await runItemsChaos({ seed: 19, kills: 2, workers: 2, freezes: 1 });
  expect(findings).toEqual([]);
  expect(Object.values(counts).every((many) => many === 0)).toBe(true);
  expect(details.killed).toBeGreaterThanOrEqual(2);
});
