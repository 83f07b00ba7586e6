// Rows that belong together and do not say so line by line: totals among the rows they add up, names given once for several rows, lines parted by another sign.
import { describe, expect, it } from 'vitest';
import { textSource } from '../../test/support/tables.ts';
import { decideReading as decideAds } from '../pipelines/ads/reading.ts';
import { openTable, readTable } from './read-table.ts';
import type { Reading, ReadingOverrides } from './reading.ts';
import { type Position, type RowBatch, startOfFile } from './row-batch.ts';
import { doubtsOfFindings, SetAsideWatch } from './set-aside-watch.ts';

const lines = (...rows: readonly string[]) => `${rows.join('\n')}\n`;
const doubtsIn = async (text: string, overrides: ReadingOverrides = {}) =>
  (await readTable(textSource(text), { overrides })).reading.doubts ?? [];
const codesIn = async (text: string) => (await doubtsIn(text)).map(({ code }) => code);

async function rowsOf(text: string, reading: Reading, from: Position = startOfFile, batchBytes = 1_000_000) {
  const rows: string[] = [];
  const kinds: string[] = [];
  const places: Position[] = [];
  for await (const batch of openTable(textSource(text, batchBytes), reading, { batchBytes }).batches(from)) {
    for (const row of batch.dataRows()) rows.push(batch.texts(row).join(','));
    kinds.push(...kindsOf(batch));
    places.push(batch.next);
  }
  return { rows, kinds, places };
}

function kindsOf(batch: RowBatch): string[] {
  return Array.from({ length: batch.rowCount }, (_, row) => batch.kind(row));
}

describe('a segment that stands for all of its parts', () => {
  const header = 'Day,Campaign,Campaign ID,Device,Cost,Impr.,Clicks';
  const spread = [17, 41, 29];
  const parts = (day: number) =>
    ['Mobile phones', 'Computers', 'Tablets'].map((device, i) => {
      const seed = (spread[i] ?? 1) * (day + i) + day * day;
      return { device, cost: seed * 1.37, shown: seed * 31, clicks: seed % 23 };
    });
  const rowOf = (day: number, device: string, cost: number, shown: number, clicks: number) =>
    `2024-01-0${day},Spring,1001,${device},${cost.toFixed(2)},${shown},${clicks}`;
  const table = (all: string | null, factor = 1) =>
    lines(
      header,
      ...[1, 2, 3, 4].flatMap((day) => {
        const of = parts(day);
        const sum = (pick: (part: (typeof of)[number]) => number) => of.reduce((total, part) => total + pick(part), 0);
        const rows = of.map(({ device, cost, shown, clicks }) => rowOf(day, device, cost, shown, clicks));
        const cost = of.reduce((total, part) => total + Number(part.cost.toFixed(2)), 0) * factor;
        return all === null
          ? rows
          : [
              ...rows,
              rowOf(
                day,
                all,
                cost,
                sum((p) => p.shown) * factor,
                sum((p) => p.clicks),
              ),
            ];
      }),
    );
  const inAds = (text: string, overrides: ReadingOverrides = {}) =>
    decideAds(textSource(text), 'google', { overrides });

  it.each([
    'All devices',
    'All',
    'Total',
    'Alle Geräte',
    'Tous les appareils',
    'Todos los dispositivos',
    'Todas as redes',
    'Tutti i dispositivi',
    'Alle apparaten',
    'すべてのデバイス',
    'whatever it is called',
    '',
  ])('holds the run, and is left out with one answer: "%s"', async (all) => {
    const text = table(all);
    const { doubts = [] } = await inAds(text);
    expect(doubts).toMatchObject([{ code: 'totals_among_rows', holds: true, rowsAtStake: 4, lines: [5, 9, 13, 17] }]);
    const left = await inAds(text, doubts[0]?.answers[1]?.overrides ?? {});
    expect(left.doubts).toEqual([]);
    const { rows, kinds } = await rowsOf(text, left);
    expect([rows.length, kinds.filter((kind) => kind === 'total').length]).toEqual([12, 4]);
  });

  it('holds the run also where the parts that are listed are not all', async () => {
    expect((await inAds(table('All devices', 1.2))).doubts).toMatchObject([{ code: 'totals_among_rows', holds: true }]);
  });

  it('is no doubt where nothing adds up, where it stands alone, or where its parts are of other days', async () => {
    expect((await inAds(table(null))).doubts).toEqual([]);
    const alone = [1, 2, 3, 4].map((day) => rowOf(day, 'All devices', day * 3.5, day * 100, day));
    expect((await inAds(lines(header, ...alone))).doubts).toEqual([]);
    const other = [7, 8].map((day) => rowOf(day, 'Computers', day * 2.5, day * 90, day));
    expect((await inAds(lines(header, ...alone, ...other))).doubts).toEqual([]);
  });

  it('is told of several columns at once', async () => {
    const rows = [1, 2, 3].flatMap((day) => [
      `2024-01-0${day},A,All,All,${day * 10},${day * 1000},${day * 20}`,
      `2024-01-0${day},A,Mobile,Search,${day * 4},${day * 300},${day * 7}`,
      `2024-01-0${day},A,Desktop,Display,${day * 6},${day * 700},${day * 13}`,
    ]);
    const text = lines('Day,Campaign,Device,Network,Cost,Impr.,Clicks', ...rows);
    expect((await inAds(text)).doubts).toMatchObject([{ code: 'totals_among_rows', rowsAtStake: 3 }]);
  });

  it('is asked about by its name where it stands behind the sample', async () => {
    const rows = Array.from({ length: 1_200 }, (_, i) => rowOf((i % 9) + 1, `Device ${i}`, i * 1.7, i * 31, i % 9));
    const text = lines(header, ...rows, rowOf(1, 'All devices', 5, 9, 1));
    const reading = await inAds(text);
    expect(reading.doubts).toEqual([]);
    const watch = new SetAsideWatch(reading);
    for await (const batch of openTable(textSource(text), reading).batches())
      for (const row of batch.dataRows()) watch.addData(batch, row);
    expect(doubtsOfFindings(watch.findings)).toMatchObject([
      { code: 'totals_among_rows', holds: true, rowsAtStake: 1, lines: [1_202] },
    ]);
  });
});

describe('subtotals in a plain list', () => {
  const list = (labelOf: (group: string) => string, more = '') =>
    lines(
      `Name,Amount${more === '' ? '' : ',Owner'}`,
      ...['Kiel,10.5', 'Hamburg,20.25', `${labelOf('Nord')},30.75`].map((row) => row + more),
      ...['Ulm,5', 'Köln,7', `${labelOf('Süd')},12`, 'Total,42.75'].map((row) => row + more),
    );

  it.each([
    ['North subtotal', (group: string) => `${group} subtotal`],
    ['Summe Nord', (group: string) => `Summe ${group}`],
    ['Total North', (group: string) => `Total ${group}`],
    ['Zwischensumme Nord', (group: string) => `Zwischensumme ${group}`],
    ['nothing', () => ''],
  ])('hold the run where they add up the rows above, and are left out with one answer: %s', async (_, labelOf) => {
    for (const more of ['', ',Ann']) {
      const text = list(labelOf, more);
      const doubts = (await doubtsIn(text)).filter(({ code }) => code === 'totals_among_rows');
      expect(doubts).toMatchObject([{ code: 'totals_among_rows', holds: true, rowsAtStake: 3 }]);
      const { reading } = await readTable(textSource(text), { overrides: doubts[0]?.answers[1]?.overrides ?? {} });
      expect((await rowsOf(text, reading)).rows.map((row) => row.split(',')[0])).toEqual([
        ...['Kiel', 'Hamburg', 'Ulm', 'Köln'],
      ]);
    }
  });

  it('are no doubt where a name only reads like one', async () => {
    const text = lines('Plaintiff,Case,Amount', 'Total Wine,A-1,310', 'Bob,A-2,100', 'Total Wine,A-3,150', 'Al,A-4,70');
    expect(await codesIn(text)).not.toContain('totals_among_rows');
  });

  it('are told by their name behind the sample', async () => {
    const rows = Array.from({ length: 1_200 }, (_, i) => `Name ${i},${i * 3 + 1}`);
    const text = lines('Name,Amount', ...rows, 'North subtotal,17', 'Subtotal West,4', 'Total Wine,5', 'End,6');
    const { reading } = await readTable(textSource(text));
    const watch = new SetAsideWatch(reading);
    for await (const batch of openTable(textSource(text), reading).batches())
      for (const row of batch.dataRows()) watch.addData(batch, row);
    expect(doubtsOfFindings(watch.findings)).toMatchObject([
      { code: 'totals_among_rows', rowsAtStake: 2, lines: [1_202, 1_203] },
    ]);
  });

  it('a nameless line at the end that adds nothing up is asked about, and one that does is a total', async () => {
    const rows = ['Kiel,10', 'Ulm,20', 'Bonn,31'];
    expect(await doubtsIn(lines('City,Amount', ...rows, ',7'))).toMatchObject([
      { code: 'rows_set_aside', holds: true, lines: [5] },
    ]);
    expect(await doubtsIn(lines('City,Amount', ...rows, ',61'))).toEqual([]);
  });
});

describe('a name that is given once for several rows', () => {
  const groups = lines(
    'Region,City,Amount',
    ...['North,Kiel,11', ',Ulm,25', ',Bonn,31', 'South,Kiel,47', ',Ulm,52', ',Bonn,68', ',Jena,3'],
  );

  it('holds the run, and is carried down with one answer, whatever the place from which reading goes on', async () => {
    const doubts = await doubtsIn(groups);
    expect(doubts).toMatchObject([{ code: 'groups_named_once', holds: true, rowsAtStake: 5, lines: [3, 4, 6, 7, 8] }]);
    const { reading } = await readTable(textSource(groups), { overrides: doubts[0]?.answers[1]?.overrides ?? {} });
    expect(reading.doubts).toEqual([]);
    expect((await rowsOf(groups, reading)).rows.map((row) => row.split(',')[0])).toEqual([
      ...[...Array(3).fill('North'), ...Array(4).fill('South')],
    ]);
    const long = groups + groups.slice(groups.indexOf('\n') + 1).repeat(60);
    const { rows, places } = await rowsOf(long, reading, startOfFile, 256);
    expect(places.length).toBeGreaterThan(3);
    for (const place of places) {
      const rest = (await rowsOf(long, reading, place, 256)).rows;
      expect(rest).toEqual(rows.slice(rows.length - rest.length));
    }
  });

  it('ends the inner groups: their names are not carried into the next outer one', async () => {
    const text = lines(
      'Region,City,Shop,Amount',
      'North,Kiel,a,1',
      ',,b,2',
      ',Ulm,c,3',
      'South,,d,4',
      ',,e,5',
      ',,f,6',
    );
    const { reading } = await readTable(textSource(text), { overrides: { carryDown: ['Region', 'City'] } });
    expect((await rowsOf(text, reading)).rows).toEqual([
      ...['North,Kiel,a,1', 'North,Kiel,b,2', 'North,Ulm,c,3', 'South,,d,4', 'South,,e,5', 'South,,f,6'],
    ]);
  });

  it('leaves a total below the last group what it is', async () => {
    const text = lines('Region,Amount', 'North,10', ',20', 'South,5', ',7', ',42');
    const { reading } = await readTable(textSource(text), { overrides: { carryDown: ['Region'] } });
    expect((await rowsOf(text, reading)).rows).toEqual(['North,10', 'North,20', 'South,5', 'South,7']);
  });

  it('is asked about in exports of ads wherever it names a campaign', async () => {
    const text = lines(
      'Day,Campaign,Cost,Clicks',
      ...['2024-01-01,A,1.5,3', '2024-01-02,,2.5,4', '2024-01-01,B,3.5,5', '2024-01-02,,4.5,6', '2024-01-03,,5.5,7'],
    );
    expect((await decideAds(textSource(text), 'google')).doubts).toMatchObject([
      { code: 'groups_named_once', holds: true, rowsAtStake: 3 },
    ]);
  });

  it.each([
    ['a column behind the first that is often empty', ['1,a,', '2,b,x', '3,c,', '4,d,y', '5,e,']],
    ['a first column that is mostly filled', ['A,a,1', ',b,2', 'B,c,3', 'C,d,4', 'D,e,5']],
    ['a value that comes again row by row', ['A,a,1', 'A,b,2', ',c,3', ',d,4', ',e,5']],
  ])('is no doubt in %s', async (_, rows) => {
    expect(await codesIn(lines('Id,Name,Note', ...rows))).not.toContain('groups_named_once');
  });
});

describe('lines that are parted by two signs', () => {
  const cells = [1, 2, 3, 4, 5, 6].map((i) => [`2024-01-0${i}`, `A${i}`, `${i}.5`, String(i * 3)]);

  it.each([
    [',', '\t'],
    [',', ';'],
    [';', ','],
  ])('are told where "%s" and another sign part them from line to line', async (first, second) => {
    const header = ['Day', 'Campaign', 'Cost', 'Clicks'].join(first);
    const text = lines(header, ...cells.map((row, i) => row.join(i % 3 === 1 ? second : first)));
    expect(await doubtsIn(text)).toMatchObject([{ code: 'delimiters_mixed', rowsAtStake: 2, lines: [3, 6] }]);
  });

  it('hold the run where the names are parted by the other sign', async () => {
    const text = lines('Day;Campaign;Cost;Clicks', ...cells.map((row) => row.join(',')));
    expect((await doubtsIn(text)).filter(({ holds }) => holds)).toMatchObject([
      { code: 'delimiters_mixed', lines: [1] },
    ]);
  });

  it('hold the run where one line has both', async () => {
    for (const sign of [';', '\t']) {
      const text = lines(
        `Day${sign}Campaign,Cost,Clicks`,
        ...cells.map(([day, name, ...rest]) => `${day}${sign}${name},${rest.join(',')}`),
      );
      const held = (await doubtsIn(text)).filter(({ holds }) => holds);
      expect(held).toMatchObject([{ code: 'delimiters_mixed', rowsAtStake: 6 }]);
    }
  });

  it.each([
    ['lists in cells', ['id,tags,n', '1,a;b,2', '2,c;d,3', '3,e;f,4']],
    ['names with a comma and a blank', ['id;Name, first;n', '1;Meier, Jo;2', '2;Kunz, Al;3', '3;Roth, Bo;4']],
    ['a title with commas', ['Report,North,2024', '', 'id;name;n', '1;a;2', '2;b;3', '3;c;4']],
  ])('are not meant by %s', async (_, rows) => {
    expect((await doubtsIn(lines(...rows))).filter(({ code, holds }) => code === 'delimiters_mixed' && holds)).toEqual(
      [],
    );
  });
});
