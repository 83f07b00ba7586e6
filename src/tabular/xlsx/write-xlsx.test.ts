import { readXlsx, streamXlsxRows } from 'hucre/xlsx';
import { describe, expect, it } from 'vitest';
import { columnName, writeXlsx, type XlsxCell, type XlsxOptions } from './write-xlsx.ts';

async function* pagesOf(...pages: (readonly XlsxCell[])[][]) {
  yield* pages;
}

async function bytesOf(pages: AsyncIterable<readonly (readonly XlsxCell[])[]>, options: XlsxOptions): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of writeXlsx(pages, options)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** As another reader reads it. */
async function readBack(bytes: Buffer, sheet = 0): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const row of streamXlsxRows(bytes, { sheet })) rows.push(row.values);
  return rows;
}

const header = ['Text', 'Number', 'Date'];

describe('a workbook', () => {
  it('has every cell of every page as another reader reads it, in order, empty ones left out', async () => {
    const day = new Date('2026-02-28T00:00:00Z');
    const bytes = await bytesOf(
      pagesOf(
        [['a', 1, day]],
        [],
        [
          [null, -2.5, null],
          ['', 1e21, new Date('1900-02-28T00:00:00Z')],
        ],
      ),
      { name: 'Items', header },
    );
    const rows = await readBack(bytes);
    expect(rows.slice(0, 3)).toEqual([header, ['a', 1, day], [null, -2.5]]);
    expect(rows[3]?.slice(1)).toEqual([1e21, new Date('1900-02-28T00:00:00Z')]);
  });

  it('keeps whatever a text holds: markup, formulas, spaces, line breaks, control characters and what looks like the sign for one', async () => {
    const texts = ['<b>&amp;"\'', '=1+1', ' a ', 'one\ntwo\tthree', 'ring\u0007', 'return\rhere', '_x0041_', '😀 ü 漢'];
    const bytes = await bytesOf(pagesOf(texts.map((text) => [text])), { name: 'Items', header: ['Text'] });
    expect((await readBack(bytes)).map(([text]) => text)).toEqual(['Text', ...texts]);
  });

  it('holds of a text as much as a cell may have, and says so; a character is whole or left out', async () => {
    const [most, cut] = ['x'.repeat(32_767), '😀'.repeat(20_000)];
    const bytes = await bytesOf(pagesOf([[most], [cut]]), { name: 'Items', header: ['Text'] });
    const [, [first] = [], [second] = []] = (await readBack(bytes)) as string[][];
    expect(first).toBe(most);
    expect(second?.length).toBeLessThanOrEqual(32_767);
    expect(second).toMatch(/^(?:😀)+ … \(cut: 40000 characters, .*CSV/u);
  });

  it('shows the time of day where a date has one', async () => {
    const [day, moment] = [new Date('2026-02-28T00:00:00Z'), new Date('2026-02-28T17:30:05Z')];
    const bytes = await bytesOf(pagesOf([[day, moment]]), { name: 'Items', header: ['Day', 'Moment'] });
    const { sheets } = await readXlsx(bytes, { readStyles: true });
    expect(sheets[0]?.rows[1]).toEqual([day, moment]);
    const formats = ['1,0', '1,1'].map((at) => sheets[0]?.cells?.get(at)?.style?.numFmt);
    expect(formats).toEqual(['yyyy-mm-dd', 'yyyy-mm-dd hh:mm:ss']);
  });

  it('goes on in another sheet when one is full, with the header again', async () => {
    const rows = Array.from({ length: 7 }, (_, at) => [`row ${at}`]);
    const bytes = await bytesOf(pagesOf(rows.slice(0, 2), rows.slice(2)), {
      name: 'Items',
      header: ['Row'],
      maxRows: 4,
    });
    const sheets = await Promise.all([0, 1, 2].map((sheet) => readBack(bytes, sheet)));
    expect(sheets.map((sheet) => sheet.map(([text]) => text))).toEqual([
      ['Row', 'row 0', 'row 1', 'row 2'],
      ['Row', 'row 3', 'row 4', 'row 5'],
      ['Row', 'row 6'],
    ]);
  });

  it('without rows has its header, and a page that fails makes it fail', async () => {
    expect(await readBack(await bytesOf(pagesOf(), { name: 'Items', header }))).toEqual([header]);
    const broken = async function* () {
      yield [['a']];
      throw new Error('the pages broke');
    };
    await expect(bytesOf(broken(), { name: 'Items', header: ['Text'] })).rejects.toThrow('the pages broke');
  });

  it('names columns as spreadsheets do', () => {
    expect([0, 25, 26, 51, 52, 701, 702, 16_383].map(columnName)).toEqual([
      'A',
      'Z',
      'AA',
      'AZ',
      'BA',
      'ZZ',
      'AAA',
      'XFD',
    ]);
  });
});
