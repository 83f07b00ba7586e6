// Files of judgments that can be read in more than one way: a batch asks before its first row, or before it leaves staging.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import {
  casesOf,
  type JudgmentsBench,
  judgmentsFile,
  judgmentsHeader,
  openJudgmentsBench,
} from '../../../test/support/judgments.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { findOpenQuestion } from '../../engine/sql/questions.ts';

const database = useDatabase();
let bench: JudgmentsBench;

beforeAll(async () => {
  bench = await openJudgmentsBench(database.appUrl);
  await bench.engine.start();
});
afterAll(() => bench.close());

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, i) => `K-${i},Ann ${i},Dan,${i + 1},2024-01-0${(i % 9) + 1},Kings,,,`);

async function asked(tenantId: string, file: string, input: Parameters<JudgmentsBench['submit']>[2] = {}) {
  const runId = await bench.submit(tenantId, file, input);
  const question = await waitFor(() => findOpenQuestion(bench.engine.pools.control, tenantId, runId), {
    what: 'the batch to ask',
  });
  return { runId, question, actor: { tenantId, by: 'tester' } };
}

describe('a batch with a second table', () => {
  const file = `${judgmentsFile(...rowsOf(6))}\nCase Number,Plaintiff,Judgment Amount\nZ-1,Zoe,1\nZ-2,Zed,2\nZ-3,Zac,3\n`;

  it('asks before its first row and goes on as decided', async () => {
    const tenantId = newTenant();
    const { runId, question, actor } = await asked(tenantId, file);
    expect(question).toMatchObject({ code: 'reading_doubtful', details: { doubts: [{ code: 'other_table' }] } });
    expect((await bench.engine.run(tenantId, runId)).receipt).toBeNull();
    await bench.engine.answer(actor, question.question_id, 'as_decided');
    expect(await bench.ended(tenantId, runId)).toMatchObject({
      status: 'completed',
      receipt: { read: 6, outcomes: { inserted: 6 }, content: { bytes: { other_table: expect.any(Number) } } },
    });
  });

  it('reads the other one when somebody says so', async () => {
    const tenantId = newTenant();
    const { runId, question, actor } = await asked(tenantId, file);
    await bench.engine.answer(actor, question.question_id, 'other_1');
    expect(await bench.ended(tenantId, runId)).toMatchObject({ status: 'completed', receipt: { read: 3 } });
    expect((await casesOf(database.admin, tenantId)).map(({ case_number: id }) => id).sort()).toEqual([
      'Z-1',
      'Z-2',
      'Z-3',
    ]);
  });

  it('fails or goes on when the sender wants it so', async () => {
    const tenantId = newTenant();
    const failed = await bench.ended(tenantId, await bench.submit(tenantId, file, { on_doubt: 'fail' }));
    expect(failed).toMatchObject({ status: 'failed', error_code: 'reading_doubtful' });
    const other = newTenant();
    const gone = await bench.ended(other, await bench.submit(other, file, { on_doubt: 'proceed' }));
    expect(gone).toMatchObject({ status: 'completed', receipt: { read: 6, doubts: { other_table: 1 } } });
    expect(gone.receipt).toMatchObject({
      in_doubt: [{ code: 'other_table', message: expect.stringContaining('3 rows') }],
    });
  });
});

describe('a list that stands behind the part of the file that is looked at first', () => {
  const names = judgmentsHeader.split(',');
  const record = (line: string, address: string) =>
    JSON.stringify(Object.fromEntries(line.split(',').map((cell, i) => [names[i], i === 8 ? address : cell])));
  const padding = 'x'.repeat(1_900);
  const records = rowsOf(2_400).map((line) => record(line, padding));
  const file = `{"cases":[${records.join(',\n')}],\n"more":[{"Case Number":"M-1"},{"Case Number":"M-2"}]}`;

  it('holds the batch in staging: nothing is stored, and all of it once it is answered', async () => {
    const tenantId = newTenant();
    const { runId, question, actor } = await asked(tenantId, file, { filename: 'judgments.json' });
    expect(question.details).toMatchObject({ doubts: [{ code: 'other_table', rows_at_stake: 2 }] });
    const { receipt } = await bench.engine.run(tenantId, runId);
    expect(receipt).toMatchObject({ read: 2_400, outcomes: { held_back: 2_400 } });
    expect(await casesOf(database.admin, tenantId)).toEqual([]);
    await bench.engine.answer(actor, question.question_id, 'as_decided');
    expect(await bench.ended(tenantId, runId)).toMatchObject({
      status: 'completed',
      receipt: { read: 2_400, outcomes: { inserted: 2_400 } },
    });
  });
});

describe('columns that may be the same field', () => {
  const rows = ['C-1,Ann,10,99,2024-01-01,Kings', 'C-2,Bea,20,98,2024-01-02,Kings', 'C-3,Cy,30,97,2024-01-03,Kings'];

  it('hold the batch before its first row where they say different things', async () => {
    const tenantId = newTenant();
    const file = ['Case Number,Plaintiff,Award,Total judgment,Filing Date,County', ...rows].join('\n');
    const { runId, question, actor } = await asked(tenantId, file);
    expect(question.details).toMatchObject({
      doubts: [{ code: 'column_twice', message: expect.stringContaining('"Award" and "Total judgment" may both be') }],
    });
    expect(await casesOf(database.admin, tenantId)).toEqual([]);
    await bench.engine.answer(actor, question.question_id, 'as_decided');
    expect(await bench.ended(tenantId, runId)).toMatchObject({ status: 'completed', receipt: { read: 3 } });
    expect((await casesOf(database.admin, tenantId)).map(({ judgment_amount: amount }) => amount)).toEqual([
      '10',
      '20',
      '30',
    ]);
  });

  it('are asked about where two have one name', async () => {
    const file = [
      'Case Number,Plaintiff,Plaintiff,Judgment Amount,Filing Date,County',
      'D-1,Ann,Zed,1,2024-01-01,Kings',
      'D-2,Bea,Yan,2,2024-01-02,Kings',
    ];
    const { question } = await asked(newTenant(), file.join('\n'));
    expect(question.text).toContain('Two columns are named "Plaintiff"');
  });

  it('are no question where one of them has the name of the field, wherever it stands, or both say the same', async () => {
    const tenantId = newTenant();
    const named = ['Case Number,Plaintiff,Amount,Judgment Amount,Filing Date,County', ...rows].join('\n');
    const run = await bench.ended(tenantId, await bench.submit(tenantId, named));
    expect([run.status, run.receipt?.doubts]).toEqual(['completed', undefined]);
    expect((await casesOf(database.admin, tenantId)).map(({ judgment_amount: amount }) => amount)).toEqual([
      '99',
      '98',
      '97',
    ]);
    const same = ['Case Number,Plaintiff,Award,Total judgment,County', 'E-1,Ann,5,5,Kings', 'E-2,Bea,6,6,Kings'].join(
      '\n',
    );
    expect(await bench.ended(tenantId, await bench.submit(tenantId, same))).toMatchObject({ status: 'completed' });
  });
});

describe('rows that belong together', () => {
  const header = 'County,Case Number,Plaintiff,Judgment Amount,Filing Date';
  const answered = async (tenantId: string, lines: readonly string[], code: string) => {
    const { runId, question, actor } = await asked(tenantId, [header, ...lines].join('\n'));
    expect(question.details).toMatchObject({ doubts: [{ code }] });
    expect(await casesOf(database.admin, tenantId)).toEqual([]);
    await bench.engine.answer(actor, question.question_id, 'other_1');
    const run = await bench.ended(tenantId, runId);
    expect((await bench.engine.verify(tenantId, runId)).differences).toEqual([]);
    return run;
  };

  it('under a county that is named once are stored with it when somebody says so', async () => {
    const tenantId = newTenant();
    const lines = ['Kings,G-1,Ann,10.5,2024-01-01', ',G-2,Bea,21,2024-01-02', ',G-3,Cy,33,2024-01-03'];
    const more = ['Queens,G-4,Di,47,2024-01-04', ',G-5,Ed,58,2024-01-05'];
    const run = await answered(tenantId, [...lines, ...more], 'groups_named_once');
    expect(run).toMatchObject({ status: 'completed', receipt: { read: 5, outcomes: { inserted: 5 } } });
    expect((await casesOf(database.admin, tenantId)).map(({ county }) => county)).toEqual([
      ...['Kings', 'Kings', 'Kings', 'Queens', 'Queens'],
    ]);
  });

  it('and a subtotal that adds them up are told apart: it is no case when somebody says so', async () => {
    const tenantId = newTenant();
    const kings = [
      'Kings,S-1,Ann,10.5,2024-01-01',
      'Kings,S-2,Bea,21.25,2024-01-02',
      'Kings,Subtotal Kings,Ann,31.75,',
    ];
    const queens = ['Queens,S-4,Di,47,2024-01-04', 'Queens,S-5,Ed,58,2024-01-05', 'Queens,Subtotal Queens,Di,105,'];
    const run = await answered(tenantId, [...kings, ...queens], 'totals_among_rows');
    expect(run).toMatchObject({ status: 'completed', receipt: { read: 4, outcomes: { inserted: 4 } } });
    expect((await casesOf(database.admin, tenantId)).map(({ case_number: id }) => id)).toEqual([
      ...['S-1', 'S-2', 'S-4', 'S-5'],
    ]);
  });
});
