// A small dose of the judgments suite, and its auditor. The large doses are `npm run chaos -- judgments`.
import { expect, it } from 'vitest';
import { compilePrograms } from '../support/programs.ts';
import { runJudgmentsChaos, smallJudgments } from './judgments.ts';
import { auditJudgments } from './judgments-audit.ts';
import { ReferenceTenant } from './judgments-reference.ts';
import { randomFrom } from './random.ts';
import { noCounts } from './suites/suite.ts';

it('batches delivered twice and revised while workers are killed and frozen are stored once, row by row as the reference says', async () => {
  compilePrograms();
  const { counts, findings, details } = await runJudgmentsChaos({ seed: 20_261_118, ...smallJudgments });
  expect([counts, findings]).toEqual([noCounts, []]);
  expect(details.killed).toBeGreaterThanOrEqual(smallJudgments.kills);
});

it('the auditor sees a lost batch, a second end, rows stored twice, a case written too often, a second plaintiff and a file left behind', async () => {
  const reference = new ReferenceTenant(randomFrom(1));
  const expected = reference.batch('A', 40);
  const tenant = {
    tenantId: 't',
    runs: [
      { runId: 'one', expected },
      { runId: 'gone', expected },
    ],
    cases: reference.cases,
    people: reference.people,
  };
  const receipt = { read: expected.read, outcomes: expected.outcomes, plaintiffs: reference.people.size };
  const run = {
    ...{ id: 'one', status: 'completed', phase: 'done' },
    receipt,
    ends: 1,
    told: 1,
    staged: expected.rows.size,
  };
  const stored = [...reference.cases].map(([name, { amount, county, defendant, person, version }]) => {
    return { name, amount, county, defendant, person, version };
  });
  const people = [...reference.people].map((key) => ({ key, cases: 1 }));
  const told = [...expected.rows].map(([first, outcome]) => ({ outcome, first, next: first + 1 }));
  const answers = (changed: Record<string, object[]>): Record<string, object[]> => ({
    'from engine.runs r': [run],
    'from engine.row_outcomes': told,
    'from engine.rejects': Object.entries(expected.rejects).map(([code, n]) => ({ code, n })),
    'from judgments j left join': stored,
    'from plaintiffs p where': people,
    'from engine.blobs': [{ kept: 2 }],
    ...changed,
  });
  const audit = async (changed: Record<string, object[]>) => {
    const all = answers(changed);
    const ask = async (text: string) => Object.entries(all).find(([part]) => text.includes(part))?.[1] ?? [];
    return (await auditJudgments({ ask: ask as never }, [tenant])).counts;
  };
  const lost = { ...noCounts, lost: 1 };
  expect(await audit({})).toEqual(lost);
  const [first] = stored;
  const cases: readonly (readonly [object, Record<string, object[]>])[] = [
    [{ stuck: 1 }, { 'from engine.runs r': [{ ...run, phase: 'active' }] }],
    [{ duplicated: 1 }, { 'from engine.runs r': [{ ...run, ends: 2 }] }],
    [{ duplicated: 1 }, { 'from engine.runs r': [run, { ...run, id: 'nobody asked for it' }] }],
    [{ wrong: 1 }, { 'from engine.runs r': [{ ...run, receipt: { ...receipt, read: 1 } }] }],
    [{ zombieWrites: 1 }, { 'from engine.row_outcomes': [...told, told[0] as object] }],
    [{ lost: 2 }, { 'from engine.row_outcomes': told.slice(1) }],
    [{ lost: 2 }, { 'from judgments j left join': stored.slice(1) }],
    [{ wrong: 1 }, { 'from judgments j left join': [{ ...first, amount: '0' }, ...stored.slice(1)] }],
    [{ zombieWrites: 1 }, { 'from judgments j left join': [{ ...first, version: 9 }, ...stored.slice(1)] }],
    [{ duplicated: 1 }, { 'from plaintiffs p where': [...people, { key: 'email:other', cases: 1 }] }],
    [{ orphans: 1 }, { 'from plaintiffs p where': [{ ...people[0], cases: 0 }, ...people.slice(1)] }],
    [{ orphans: 1 }, { 'from engine.blobs': [{ kept: 3 }] }],
    [{ orphans: 2 }, { 'from engine.leases': [{ leases: 1, ready: 1 }] }],
  ];
  for (const [counts, changed] of cases) expect(await audit(changed)).toMatchObject(counts);
});
