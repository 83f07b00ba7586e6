// The same random tables through our reader and through csv-parse, the strict reference.
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { allRows, ragged, seededRandom } from '../../../test/support/tables.ts';
import { defaultLimits } from '../limits.ts';
import { commaDialect, type Dialect } from './dialect.ts';
import { readCsv } from './read-csv.ts';

const alphabet = [
  'a',
  'B',
  '7',
  '.',
  ' ',
  '–',
  'é',
  '漢',
  '😀',
  '"',
  "'",
  '\n',
  '\r\n',
  ',',
  ';',
  '\t',
  '|',
  '\\',
  '=',
];

function randomTable(random: () => number): string[][] {
  const width = 1 + Math.floor(random() * 6);
  return Array.from({ length: 1 + Math.floor(random() * 30) }, () =>
    Array.from({ length: width }, () =>
      Array.from(
        { length: Math.floor(random() * random() * 12) },
        () => alphabet[Math.floor(random() * alphabet.length)],
      ).join(''),
    ),
  );
}

function write(table: string[][], delimiter: string, lineEnd: string, random: () => number): string {
  const cell = (text: string) =>
    /["\r\n]/.test(text) || text.includes(delimiter) || /^\s|\s$/.test(text) || random() < 0.2
      ? `"${text.replaceAll('"', '""')}"`
      : text;
  const ending = random() < 0.5 ? lineEnd : '';
  // A row of one empty cell would be an empty line, which the reference leaves out.
  const rows = table.map((row) => (row.length === 1 && row[0] === '' ? '""' : row.map(cell).join(delimiter)));
  return rows.join(lineEnd) + ending;
}

describe('against csv-parse', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'reads 150 random tables of seed %i cell by cell alike, in chunks of random length',
    async (seed) => {
      const random = seededRandom(seed);
      for (let round = 0; round < 150; round++) {
        const delimiter = [',', ';', '\t', '|'][Math.floor(random() * 4)] ?? ',';
        const lineEnd = random() < 0.5 ? '\n' : '\r\n';
        const text = write(randomTable(random), delimiter, lineEnd, random);
        const bytes = Buffer.from(text);
        const dialect: Dialect = { ...commaDialect, delimiter, lineEnd: lineEnd === '\n' ? 'lf' : 'crlf' };
        const source = ragged(bytes, random, 1 + Math.floor(random() * 40));
        const batchBytes = 1 + Math.floor(random() * 200);
        const ours = await allRows(
          readCsv(source, { encoding: { name: 'utf-8', bomBytes: 0 }, dialect, limits: defaultLimits, batchBytes }),
        );
        const theirs = parse(text, {
          delimiter,
          record_delimiter: lineEnd,
          relax_column_count: true,
          skip_empty_lines: false,
        });
        expect(
          ours.map((row) => row.cells),
          `seed ${seed} round ${round}`,
        ).toEqual(theirs);
      }
    },
  );
});
