// Every byte of a file has one name, whatever its encoding and wherever the reading was interrupted.
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { readTable as readBuilt } from '../../test/support/built-readers.ts';
import { seededRandom } from '../../test/support/tables.ts';
import { buildWorkbook } from '../../test/support/workbooks.ts';
import type { Content } from '../engine/receipt.ts';
import { faultsOfContent } from '../engine/receipt.ts';
import { bytesSource } from './byte-source.ts';
import { ContentCounter, nothingCounted } from './content-counter.ts';
import { readTable } from './read-table.ts';
import { type Position, startOfFile } from './row-batch.ts';

async function contentOf(bytes: Uint8Array, read = readTable): Promise<Content> {
  const table = await read(bytesSource(bytes, 64), { batchBytes: 200 });
  const counter = new ContentCounter(nothingCounted, 0, bytes.length);
  for await (const batch of table.batches()) counter.add(batch);
  return counter.content as Content;
}

/** Reads batch by batch, each time from the checkpoint that the one before it left. */
async function interrupted(bytes: Uint8Array): Promise<Content> {
  const table = await readTable(bytesSource(bytes, 64), { batchBytes: 200 });
  let state: { content: Content; position: Position } = { content: nothingCounted, position: startOfFile };
  for (;;) {
    const counter = new ContentCounter(state.content, state.position.offset, bytes.length);
    for await (const batch of table.batches(state.position)) {
      counter.add(batch);
      state = { content: JSON.parse(JSON.stringify(counter.content)) as Content, position: batch.next };
      if (batch.isLast) return state.content;
      break;
    }
  }
}

const rows = Array.from(
  { length: 40 },
  (_, i) => `2024-01-${String((i % 28) + 1).padStart(2, '0')},Würze ${i},${i}.5\n`,
);
const pieces = {
  title: 'Report of all shops\n',
  header: 'Day,Name,Spend\n',
  blank: '\n',
  row: rows.join(''),
  total: 'Total,,780.0\n',
};
const report = pieces.title + pieces.blank + pieces.header + pieces.row + pieces.total;
const sizesIn = (bytesOf: (text: string) => number) =>
  Object.fromEntries(Object.entries(pieces).map(([name, text]) => [name, bytesOf(text)]));

const records = Array.from(
  { length: 30 },
  (_, i) => `{"day":"2024-01-0${(i % 9) + 1}","name":"Würze ${i}","spend":${i}}`,
);
const json = `{"meta":{"a":1},"data":[${records.join(', ')}],\n"more":[{"x":1},{"x":2}]}\n`;

describe('the content of a file', () => {
  it.each([
    ['utf-8', 'utf-8', Buffer.alloc(0)],
    ['utf-8 with a byte order mark', 'utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
    ['utf-16le', 'utf-16le', Buffer.from([0xff, 0xfe])],
    ['utf-16be', 'utf-16be', Buffer.from([0xfe, 0xff])],
    ['utf-32le', 'utf-32le', Buffer.from([0xff, 0xfe, 0, 0])],
    ['windows-1252', 'windows-1252', Buffer.alloc(0)],
  ])('is counted in bytes of the original: delimited text in %s', async (_, encoding, mark) => {
    const bytes = Buffer.concat([mark, iconv.encode(report, encoding)]);
    const { bytes: tally, ...others } = await contentOf(bytes);
    const structure = mark.length === 0 ? {} : { structure: mark.length };
    const sizes = sizesIn((text) => iconv.encode(text, encoding).length);
    expect([tally, others]).toEqual([{ all: bytes.length, ...sizes, ...structure }, {}]);
    expect(await interrupted(bytes)).toEqual({ bytes: tally });
  });

  it.each(['utf-8', 'utf-16le', 'utf-16be', 'utf-32be', 'windows-1252'])(
    'gives records, other lists and what holds them together their bytes: JSON in %s',
    async (encoding) => {
      const lengthOf = (text: string) => iconv.encode(text, encoding).length;
      const mark =
        encoding.startsWith('utf-16') || encoding.startsWith('utf-32') ? iconv.encode('\uFEFF', encoding) : '';
      const bytes = Buffer.concat([Buffer.from(mark), iconv.encode(json, encoding)]);
      const { bytes: tally = {} } = await contentOf(bytes);
      expect(tally).toMatchObject({
        all: bytes.length,
        row: records.reduce((sum, record) => sum + lengthOf(record), 0),
        note: lengthOf('"meta":{"a":1}'),
        other_table: lengthOf('[{"x":1},{"x":2}]'),
      });
      expect(faultsOfContent({ bytes: tally })).toEqual([]);
      expect(await interrupted(bytes)).toEqual({ bytes: tally });
    },
  );

  it('of a workbook is every cell of every sheet and every part', async () => {
    const row = (number: number, ...texts: string[]) =>
      `<row r="${number}">${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`;
    const sheetOf = (inner: string) => `<worksheet><sheetData>${inner}</sheetData></worksheet>`;
    const linkTo = (number: number) =>
      `<Relationship Id="rId${number}" Type="x/worksheet" Target="worksheets/sheet${number}.xml"/>`;
    const bytes = buildWorkbook({
      rows:
        row(1, 'Report of all shops') +
        row(3, 'Day', 'Name', 'Spend') +
        row(4, '2024-01-01', 'a', '1') +
        row(5, '2024-01-02', '', '2') +
        row(6, '2024-01-03', 'c', '3'),
      workbook:
        '<workbook><sheets><sheet name="Data" r:id="rId1"/><sheet name="Notes" r:id="rId2"/><sheet name="Old" state="hidden" r:id="rId3"/></sheets></workbook>',
      replace: {
        'xl/_rels/workbook.xml.rels': { content: `<Relationships>${[1, 2, 3].map(linkTo).join('')}</Relationships>` },
      },
      extra: [
        { name: 'xl/worksheets/sheet2.xml', content: sheetOf(row(1, 'x') + row(9, 'y', '', 'z')) },
        { name: 'xl/worksheets/sheet3.xml', content: sheetOf(row(1, 'h')) },
        { name: 'xl/theme/theme1.xml', content: '<theme/>' },
      ],
    });
    const { cells, parts = {}, bytes: tally = {} } = await contentOf(bytes, readBuilt);
    expect(cells).toEqual({ all: 16, title: 1, header: 3, row: 8, other_sheet: 4 });
    // Nobody reads the list of types nor the theme; the texts are found although no link leads to them.
    expect(parts).toEqual({ all: 10, sheet: 1, other_sheet: 2, structure: 4, unread: 3 });
    expect(tally).toMatchObject({ all: bytes.length, sheet: expect.any(Number), other_sheet: expect.any(Number) });
    expect(faultsOfContent({ cells, parts, bytes: tally } as Content)).toEqual([]);
  });

  it('of a reading that began uncounted stays uncounted', async () => {
    const bytes = Buffer.from(report);
    const counter = new ContentCounter(undefined, 100, bytes.length);
    for await (const batch of (await readTable(bytesSource(bytes))).batches()) counter.add(batch);
    expect(counter.content).toBeUndefined();
  });
});

type Line = readonly [keyof typeof pieces | 'other_table', string];
const table: readonly Line[] = [
  ['title', pieces.title],
  ['blank', pieces.blank],
  ['header', pieces.header],
  ...rows.map((line) => ['row', line] as const),
  ['total', pieces.total],
];

function tallyOf(lines: readonly Line[]): Record<string, number> {
  const tally: Record<string, number> = {};
  for (const [name, text] of lines) tally[name] = (tally[name] ?? 0) + Buffer.byteLength(text);
  return { all: Object.values(tally).reduce((sum, bytes) => sum + bytes, 0), ...tally };
}

const partsOf = ({ bytes: { all: _, ...parts } = {} }: Content) => Object.entries(parts).sort();

describe('a file with damage', () => {
  it('shows lines that were cut out or doubled in the tally of their kind, byte by byte', async () => {
    const random = seededRandom(20261);
    const firstRow = 3;
    for (let i = 0; i < 60; i++) {
      const from = firstRow + Math.floor(random() * (rows.length - 1));
      const to = Math.min(table.length, from + 1 + Math.floor(random() * 6));
      const isCut = random() < 0.5;
      const damaged = isCut
        ? [...table.slice(0, from), ...table.slice(to)]
        : [...table.slice(0, to), ...table.slice(from)];
      const text = damaged.map(([, line]) => line).join('');
      // What stands below a total that came too early is still rows; the total is one wherever it stands.
      expect([i, await contentOf(Buffer.from(text))]).toEqual([i, { bytes: tallyOf(damaged) }]);
    }
  });

  it('accounts for every byte wherever pieces are cut, doubled or swapped, and differs from the whole one', async () => {
    const random = seededRandom(20262);
    const whole = Buffer.from(`\uFEFF${report}`);
    const ofWhole = await contentOf(whole);
    const spot = () => Math.floor(random() * whole.length);
    let unread = 0;
    for (let i = 0; i < 150; i++) {
      const [a = 0, b = 0, c = 0, d = 0] = [spot(), spot(), spot(), spot()].sort((x, y) => x - y);
      const piece = (from: number, to: number) => whole.subarray(from, to);
      const damaged = Buffer.concat(
        [
          [piece(0, a), piece(b, whole.length)],
          [piece(0, b), piece(a, whole.length)],
          [piece(0, a), piece(c, d), piece(b, c), piece(a, b), piece(d, whole.length)],
        ][i % 3] ?? [],
      );
      // Without a header or a row there is no reading, and no receipt either.
      const content = await contentOf(damaged).catch(() => null);
      if (content === null) {
        unread++;
        continue;
      }
      expect([i, faultsOfContent(content), content.bytes?.all]).toEqual([i, [], damaged.length]);
      // What was cut or doubled is missing or too much in a tally of its own, not only in the size of the file.
      const isAsWhole = JSON.stringify(partsOf(content)) === JSON.stringify(partsOf(ofWhole));
      expect([i, damaged.length !== whole.length && isAsWhole]).toEqual([i, false]);
    }
    expect(unread).toBeLessThan(15);
  });

  it.each([
    ['the title', 0],
    ['the header', 2],
  ])('shows a row that was swapped with %s', async (_, at) => {
    const swapped = [...table];
    [swapped[at], swapped[10]] = [table[10] as Line, table[at] as Line];
    const content = await contentOf(Buffer.from(swapped.map(([, line]) => line).join('')));
    expect(faultsOfContent(content)).toEqual([]);
    expect(content).not.toEqual({ bytes: tallyOf(table) });
  });

  it('loses nothing when the total moves into the middle', async () => {
    const moved = [...table.slice(0, 12), table.at(-1) as Line, ...table.slice(12, -1)];
    const content = await contentOf(Buffer.from(moved.map(([, line]) => line).join('')));
    expect(content).toEqual({ bytes: tallyOf(table) });
  });
});
