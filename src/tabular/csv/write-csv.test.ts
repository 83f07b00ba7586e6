import { describe, expect, it } from 'vitest';
import { allRows, seededRandom, textSource } from '../../../test/support/tables.ts';
import { defaultLimits } from '../limits.ts';
import { commaDialect } from './dialect.ts';
import { escapeFormula, unescapeFormula } from './formula-escape.ts';
import { readCsv } from './read-csv.ts';
import { type CsvWriteOptions, csvHeader, csvRow } from './write-csv.ts';

const dangerous = [
  '=1+1',
  '+cmd',
  '-cmd',
  '@SUM(A1)',
  '\tx',
  '\rx',
  '\0x',
  '＝1',
  '＋1',
  '－x',
  '＠x',
  '=HYPERLINK("http://x.test")',
];
const texts = [
  ...dangerous,
  "'=1",
  "''=1",
  "'",
  "'tis",
  'plain',
  '',
  ' lead',
  'trail ',
  'a"b',
  'a,b',
  'a\nb',
  '-',
  '--',
];

function fileOf(names: string[], rows: (string | null)[][], options: CsvWriteOptions = {}): string {
  return csvHeader(names, options) + rows.map((row) => csvRow(row, options)).join('');
}

async function roundTrip(cells: string[], delimiter = ','): Promise<string[]> {
  const text = fileOf(
    ['h'],
    cells.map((cell) => [cell, 'x']),
    { delimiter },
  );
  const dialect = { ...commaDialect, delimiter, lineEnd: 'crlf' as const };
  const rows = await allRows(
    readCsv(textSource(text), { encoding: { name: 'utf-8', bomBytes: 3 }, dialect, limits: defaultLimits }),
  );
  return rows.slice(1).map((row) => unescapeFormula(row.cells[0] ?? ''));
}

describe('cells that a spreadsheet would run', () => {
  it.each(dangerous)('escapes %j', (text) => {
    expect(escapeFormula(text)).toBe(`'${text}`);
  });

  it.each(['-5', '+5', '-1,234.56', '-1.234,56', '-0.5%', '12', '-1e5', '-1 234.5'])(
    'leaves the number %j a number',
    (text) => {
      expect(escapeFormula(text)).toBe(text);
    },
  );

  it.each(texts)('gives %j back exactly', (text) => {
    expect(unescapeFormula(escapeFormula(text))).toBe(text);
  });
});

describe('writing and reading again', () => {
  it('gives every cell back, whatever is in it', async () => {
    const cells = texts.filter((text) => !text.includes('\0'));
    expect(await roundTrip(cells)).toEqual(cells);
    expect(await roundTrip(cells, ';')).toEqual(cells);
    expect(await roundTrip(cells, '\t')).toEqual(cells);
  });

  it.each([11, 12, 13])('gives random cells of seed %i back', async (seed) => {
    const random = seededRandom(seed);
    const signs = ["'", '=', '-', '+', '@', '"', ',', '\n', '\r', '\t', ' ', 'a', '1', '－', '漢'];
    const cells = Array.from({ length: 300 }, () =>
      Array.from({ length: Math.floor(random() * 6) }, () => signs[Math.floor(random() * signs.length)]).join(''),
    );
    expect(await roundTrip(cells)).toEqual(cells);
  });

  it('starts with a byte order mark, so that Excel reads it as UTF-8', () => {
    expect(fileOf(['é'], [])).toBe('\uFEFFé\r\n');
  });

  it('writes no value as an empty cell', () => {
    expect(fileOf(['a', 'b'], [[null, 'x']], { hasBom: false })).toBe('a,b\r\n,x\r\n');
  });
});
