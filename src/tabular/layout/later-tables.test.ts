// Headers behind the sample: whatever stands below them is never read under the first names.
import { describe, expect, it } from 'vitest';
import { allRows, textSource } from '../../../test/support/tables.ts';
import { readTable, type Table } from '../read-table.ts';
import type { Position } from '../row-batch.ts';
import { doubtsOfFindings, type SetAsideFindings, SetAsideWatch } from '../set-aside-watch.ts';

const BEHIND_SAMPLE = 3_000;
const day = (i: number) => `2024-0${1 + (i % 9)}-1${i % 10}`;
const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => `${day(i)},Campaign ${i % 7},${i % 50},${i % 90}.50`);
const first = ['Day,Campaign,Clicks,Cost', ...rows(BEHIND_SAMPLE)];
const fileOf = (...lines: readonly string[][]) => `${lines.flat().join('\n')}\n`;

async function read(text: string, batchBytes?: number) {
  const table = await readTable(textSource(text, batchBytes), batchBytes === undefined ? {} : { batchBytes });
  const all = await allRows(table.batches());
  return { table, kinds: all.map(({ kind }) => kind), doubts: doubtsOfFindings(await findings(table)) };
}

async function findings(table: Table): Promise<SetAsideFindings> {
  const watch = new SetAsideWatch(table.reading);
  for await (const batch of table.batches()) {
    for (let row = 0; row < batch.rowCount; row++) if (batch.kind(row) !== 'data') watch.add(batch, row);
  }
  return watch.findings;
}

const count = (kinds: readonly string[], kind: string) => kinds.filter((each) => each === kind).length;

describe('a header behind the sample', () => {
  const others: Readonly<Record<string, readonly string[]>> = {
    'the same names in another order': ['Day,Campaign,Cost,Clicks', '2024-01-01,A,1,2', '2024-01-02,B,3,4'],
    'a name less, so that the rest moves': ['Day,Clicks,Cost', '2024-01-01,1,2', '2024-01-02,3,4'],
    'a name more': ['Day,Campaign,Impressions,Clicks,Cost', '2024-01-01,A,1,2,3', '2024-01-02,B,3,4,5'],
    'other names right below the rows': ['Tag,Kampagne,Kosten,Klicks', '2024-01-01,A,1,2', '2024-01-02,B,3,4'],
    'other names below a blank line': ['', 'Region,Sold,Returned', 'North,1,2', 'South,3,4'],
    'two names below a blank line': ['', 'Year,Total', '2019,5', '2020,6', '2021,7'],
    'a title above the names': ['', 'Sales by region', 'Region,Sold,Returned', 'North,1,2', 'South,3,4'],
  };
  for (const [name, lines] of Object.entries(others)) {
    it(`sets aside what follows and asks: ${name}`, async () => {
      const { kinds, doubts } = await read(fileOf(first, [...lines]));
      const isBlank = lines[0] === '' ? 1 : 0;
      expect(count(kinds, 'data')).toBe(BEHIND_SAMPLE);
      expect(count(kinds, 'other_table')).toBe(lines.length - isBlank);
      expect(doubts).toMatchObject([
        {
          code: 'header_does_not_fit',
          holds: true,
          lines: [first.length + 1 + isBlank],
          rowsAtStake: lines.length - isBlank - 1 - (name.startsWith('a title') ? 1 : 0),
        },
      ]);
    });
  }

  it('sets aside what follows a blank line and the first name again, also where all columns hold texts', async () => {
    const texts = (from: number) => Array.from({ length: 1_200 }, (_, i) => `S-${from + i},Kettle,Acme`);
    const { kinds, doubts } = await read(
      fileOf(['sku,title,brand', ...texts(0)], ['', 'sku,country,city', 'X-1,DE,Aa', 'X-2,DE,Bb', 'X-3,DE,Cc']),
    );
    expect(count(kinds, 'data')).toBe(1_200);
    expect(doubts).toMatchObject([{ code: 'header_does_not_fit', holds: true, lines: [1_203], rowsAtStake: 3 }]);
  });

  it('is a repeated header where it names the same columns in the same order, whatever its capitals', async () => {
    const { kinds, doubts } = await read(fileOf(first, ['DAY,campaign,Clicks,Cost'], rows(3)));
    expect(count(kinds, 'repeated_header')).toBe(1);
    expect(count(kinds, 'data')).toBe(BEHIND_SAMPLE + 3);
    expect(doubts).toEqual([]);
  });

  it('ends where the first header comes again', async () => {
    const text = fileOf(first, ['Day,Campaign,Cost,Clicks', '2024-01-01,A,1,2', first[0] as string], rows(5));
    const { kinds, doubts } = await read(text);
    expect(count(kinds, 'data')).toBe(BEHIND_SAMPLE + 5);
    expect(doubts).toMatchObject([{ code: 'header_does_not_fit', rowsAtStake: 1 }]);
  });

  it('is found in tables of texts by the names themselves', async () => {
    const texts = Array.from({ length: 3_000 }, (_, i) => `Name ${i},Street ${i % 9},Town ${i % 5}`);
    const { kinds, doubts } = await read(
      fileOf(['name,street,town', ...texts, 'town,name,street', 'Rome,Ada,Via Appia']),
    );
    expect(count(kinds, 'data')).toBe(3_000);
    expect(doubts).toMatchObject([{ code: 'header_does_not_fit' }]);
  });

  it('keeps what follows aside when the reading goes on from any checkpoint', async () => {
    const text = fileOf(first, ['', 'Day,Campaign,Cost,Clicks'], rows(400));
    const { table, kinds } = await read(text, 4_096);
    const positions: Position[] = [];
    for await (const batch of table.batches()) positions.push(batch.next);
    expect(positions.length).toBeGreaterThan(10);
    for (const position of positions) {
      const resumed = (await allRows(table.batches(JSON.parse(JSON.stringify(position))))).map(({ kind }) => kind);
      expect(resumed).toEqual(kinds.slice(position.row));
    }
  });

  it('is a row when somebody put it back', async () => {
    const text = fileOf(first, ['Day,Campaign,Cost,Clicks'], rows(3));
    const table = await readTable(textSource(text), { overrides: { keptLines: [first.length + 1] } });
    expect(
      count(
        (await allRows(table.batches())).map(({ kind }) => kind),
        'data',
      ),
    ).toBe(BEHIND_SAMPLE + 4);
  });
});

describe('rows that look a little like names', () => {
  it.each([
    ['a row without values', 'n/a,Campaign 3,n/a,n/a'],
    ['words instead of numbers', '2024-01-01,Campaign 3,unknown,missing'],
    ['a row of names with a day', '2024-01-01,Clicks,Cost,5'],
    ['an empty day', ',Campaign 3,5,1.50'],
    ['a single cell', 'to be continued'],
  ])('stay rows, and what follows them as well: %s', async (_, line) => {
    const { kinds, doubts } = await read(fileOf(first, [line], rows(5), ['', line], rows(5)));
    expect(count(kinds, 'data')).toBe(BEHIND_SAMPLE + 12);
    expect(doubts).toEqual([]);
  });

  it('leave the facts of a footer a footer', async () => {
    const { kinds, doubts } = await read(fileOf(first, ['', 'Prepared by,Ada', 'Printed,2024-02-01']));
    expect(count(kinds, 'other_table')).toBe(0);
    expect(count(kinds, 'data')).toBe(BEHIND_SAMPLE);
    expect(doubts).toEqual([]);
  });
});
