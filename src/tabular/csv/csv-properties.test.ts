// What must hold for any bytes at all, tried on random garbage: rows do not depend on chunks, they cover the file, and reading can
// start at each of them.
import { describe, expect, it } from 'vitest';
import { allRows, type ReadRow, ragged, seededRandom } from '../../../test/support/tables.ts';
import { bytesSource } from '../byte-source.ts';
import { withLimits } from '../limits.ts';
import { commaDialect, type Dialect } from './dialect.ts';
import { readCsv } from './read-csv.ts';

const signs = ['a', 'b', '1', ' ', ',', ',', '"', '"', '""', '\n', '\n', '\r\n', '\r', '\\', '\\"', 'é', '漢', '\0'];
const limits = withLimits({ maxRowBytes: 200 });
const encoding = { name: 'utf-8', bomBytes: 0 };

function garbage(random: () => number): Buffer {
  const text = Array.from(
    { length: 20 + Math.floor(random() * 400) },
    () => signs[Math.floor(random() * signs.length)],
  ).join('');
  const bytes = Buffer.from(text);
  // Now and then a byte that is no UTF-8.
  if (random() < 0.3) bytes[Math.floor(random() * bytes.length)] = 0xff;
  return bytes;
}

function anyDialect(random: () => number): Dialect {
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  return {
    ...commaDialect,
    delimiter: pick([',', ',', ',,', ',a', '漢']),
    quote: pick(['"', '"', '"', null]),
    escape: pick(['double', 'backslash']),
    lineEnd: pick(['lf', 'crlf', 'cr', 'any']),
    skipSpace: pick([true, false]),
    dropsBlanks: pick([true, false]),
    looseQuotes: pick([true, false]),
    // A delimiter of several bytes never comes in runs.
    ...(random() < 0.3 ? { delimiter: ',', repeats: true } : {}),
  };
}

/** The rows, or the code with which the file was refused. */
async function outcome(read: Promise<ReadRow[]>): Promise<ReadRow[] | string> {
  return read.catch((error: { code?: string }) => error.code ?? 'unknown');
}

describe.each([1, 2, 3, 4, 5])('random garbage of seed %i', (seed) => {
  it('gives the same rows however the chunks and windows are cut', async () => {
    const random = seededRandom(seed);
    for (let round = 0; round < 120; round++) {
      const bytes = garbage(random);
      const options = { encoding, dialect: anyDialect(random), limits };
      const whole = await outcome(allRows(readCsv(bytesSource(bytes), options)));
      for (let cut = 0; cut < 3; cut++) {
        const batchBytes = 1 + Math.floor(random() * 60);
        const pieces = await outcome(allRows(readCsv(ragged(bytes, random, 30), { ...options, batchBytes })));
        expect(
          pieces,
          `round ${round}: ${JSON.stringify(bytes.toString())} ${JSON.stringify(options.dialect)}`,
        ).toEqual(whole);
      }
    }
  });

  it('covers the file: each row starts where the one before it ended', async () => {
    const random = seededRandom(seed + 100);
    for (let round = 0; round < 120; round++) {
      const bytes = garbage(random);
      const options = { encoding, dialect: anyDialect(random), limits };
      const starts: number[] = [];
      let end = bytes.length;
      try {
        for await (const batch of readCsv(bytesSource(bytes), options)) {
          for (let row = 0; row < batch.rowCount; row++) starts.push(batch.offset(row));
          end = batch.next.offset;
        }
      } catch {
        continue;
      }
      expect(starts[0]).toBe(0);
      expect(end).toBe(bytes.length);
      starts.slice(1).forEach((start, i) => {
        expect(start).toBeGreaterThan(starts[i] ?? -1);
        // Only a line end lies between two rows.
        const before = bytes.subarray(0, start).toString('latin1');
        expect(/[\r\n]$/.test(before)).toBe(true);
      });
    }
  });

  it('can be read from the start of every row on', async () => {
    const random = seededRandom(seed + 200);
    for (let round = 0; round < 25; round++) {
      const bytes = garbage(random);
      const options = { encoding, dialect: anyDialect(random), limits };
      const whole = await outcome(allRows(readCsv(bytesSource(bytes), options)));
      if (typeof whole === 'string') continue;
      for (const [index, row] of whole.entries()) {
        const from = { offset: row.offset, line: row.line, row: index };
        expect(await allRows(readCsv(bytesSource(bytes), { ...options, from }))).toEqual(whole.slice(index));
      }
    }
  });
});
