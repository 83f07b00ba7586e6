// An answer settles what was asked, and nothing else that has the same code: lines and lists behind the sample are other ones.
import { describe, expect, it } from 'vitest';
import { textSource } from '../../test/support/tables.ts';
import { saidOfDoubts, unsettled, unsettledLate } from './doubt-question.ts';
import { readTable } from './read-table.ts';
import type { ReadingDoubt } from './reading.ts';
import { SetAsideWatch } from './set-aside-watch.ts';

const doubt = (message: string): ReadingDoubt => ({
  code: 'rows_set_aside',
  message,
  evidence: { for: [], against: [] },
  rowsAtStake: 1,
  lines: [],
  holds: true,
  answers: [{ label: 'Leave them out', overrides: {} }],
});
const [early, late] = [doubt('3 lines above'), doubt('70 lines below')];
const answer = (choice: string, data: unknown) => ({
  choice,
  data,
  details: { doubts: [{ code: early.code, message: early.message }] },
});

describe('an answer', () => {
  it('settles the doubt that was asked, and not another one of its code', () => {
    const said = saidOfDoubts([answer('as_decided', null)] as never);
    expect(unsettled([early, late], said)).toEqual([late]);
    expect(unsettledLate([late], said)).toEqual([late]);
  });

  it('that reads the file in another way settles the doubts of the sample that have its code, and none behind it', () => {
    const said = saidOfDoubts([answer('other_1', { code: early.code, overrides: { headerLines: [4] } })] as never);
    expect(unsettled([early], said)).toEqual([]);
    expect(unsettledLate([late], said)).toEqual([late]);
  });

  it('settles a doubt whose message holds what the database cannot store', () => {
    const odd = doubt('a name with \u0000 in it');
    const stored = {
      choice: 'as_decided',
      data: null,
      details: { doubts: [{ code: odd.code, message: 'a name with \ufffd in it' }] },
    };
    expect(unsettledLate([odd], saidOfDoubts([stored] as never))).toEqual([]);
  });
});

it('a list of JSON behind the part that is looked at first is told, also where one before it was told', async () => {
  const record = (i: number) => `{"id":${i},"text":"${'x'.repeat(2_000)}"}`;
  const main = Array.from({ length: 3_400 }, (_, i) => record(i)).join(',\n');
  const table = await readTable(textSource(`{"first":[{"a":1}],"data":[${main}],"late":[{"b":1},{"b":2}]}`));
  expect(table.reading.recordsKey?.value).toBe('data');
  expect(table.reading.doubts?.map(({ code, rowsAtStake }) => [code, rowsAtStake])).toEqual([['other_table', 1]]);
  const watch = new SetAsideWatch(table.reading);
  for await (const batch of table.batches()) watch.addSpans(batch);
  expect(watch.findings).toMatchObject({ lists: 2, listRows: 2 });
});
