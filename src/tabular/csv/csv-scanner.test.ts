import { describe, expect, it } from 'vitest';
import { allRows, textSource } from '../../../test/support/tables.ts';
import { defaultLimits, type TableLimits, withLimits } from '../limits.ts';
import { commaDialect, type Dialect } from './dialect.ts';
import { readCsv } from './read-csv.ts';

const utf8 = { name: 'utf-8', bomBytes: 0 };

async function rows(
  text: string,
  dialect: Partial<Dialect> = {},
  limits: TableLimits = defaultLimits,
  chunkBytes = 1 << 16,
) {
  return allRows(
    readCsv(textSource(text, chunkBytes), { encoding: utf8, dialect: { ...commaDialect, ...dialect }, limits }),
  );
}

async function cells(text: string, dialect: Partial<Dialect> = {}) {
  return (await rows(text, dialect)).map((row) => row.cells);
}

describe('splitting rows and cells', () => {
  it('splits at the delimiter and keeps empty cells', async () => {
    expect(await cells('a,,c\n,,\n')).toEqual([
      ['a', '', 'c'],
      ['', '', ''],
    ]);
  });

  it('ends the last row at the end of the file with or without a line end', async () => {
    expect(await cells('a,b\nc,d')).toEqual(await cells('a,b\nc,d\n'));
  });

  it('takes CRLF as one line end and keeps a lone CR as part of the cell', async () => {
    expect(await cells('a,b\r\nc,d\re\r\n', { lineEnd: 'crlf' })).toEqual([
      ['a', 'b'],
      ['c', 'd\re'],
    ]);
  });

  it('ends rows at CR where the file does', async () => {
    expect(await cells('a,b\rc,d\r', { lineEnd: 'cr' })).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('ends rows at CR, LF and CRLF alike where the file mixes them', async () => {
    const read = await rows('a,b\rc,d\ne,f\r\ng,h', { lineEnd: 'any' });
    expect(read.map((row) => [row.line, ...row.cells])).toEqual([
      [1, 'a', 'b'],
      [2, 'c', 'd'],
      [3, 'e', 'f'],
      [4, 'g', 'h'],
    ]);
  });

  it('gives an empty line as a row with one empty cell', async () => {
    expect(await cells('a\n\nb\n')).toEqual([['a'], [''], ['b']]);
  });

  it('reads tabs and any other ASCII delimiter', async () => {
    expect(await cells('a\tb\n', { delimiter: '\t' })).toEqual([['a', 'b']]);
    expect(await cells('a\x1fb\n', { delimiter: '\x1f' })).toEqual([['a', 'b']]);
  });

  it('leaves quotes alone where the dialect has none', async () => {
    expect(await cells('"a,b"\n', { quote: null })).toEqual([['"a', 'b"']]);
  });
});

describe('quotes', () => {
  it('keeps delimiters and line ends inside quotes', async () => {
    expect(await cells('"a,b","c\nd"\n')).toEqual([['a,b', 'c\nd']]);
  });

  it('reads a doubled quote as one', async () => {
    expect(await cells('"a ""b"" c",""\n')).toEqual([['a "b" c', '']]);
  });

  it('reads a backslash before a quote as an escape only where the dialect says so', async () => {
    expect(await cells('"a \\"b\\", \\\\ \\n",c\n', { escape: 'backslash' })).toEqual([['a "b", \\ \\n', 'c']]);
    expect(await cells('"C:\\","b"\n')).toEqual([['C:\\', 'b']]);
  });

  it('keeps a quote in the middle of an unquoted cell as text', async () => {
    expect(await cells('5" monitor,b\n')).toEqual([['5" monitor', 'b']]);
  });

  it('skips blanks before an opening quote where the dialect says so', async () => {
    expect(await cells('a, "b,c"\n', { skipSpace: true })).toEqual([['a', 'b,c']]);
  });

  it('allows blanks after a closing quote', async () => {
    expect(await cells('"a" ,b\n')).toEqual([['a', 'b']]);
  });

  it('counts lines inside quotes, so that later rows keep their line', async () => {
    const read = await rows('a,"x\ny\nz"\nb,c\n');
    expect(read.map((row) => row.line)).toEqual([1, 4]);
  });
});

describe('rows that cannot be split', () => {
  it('costs one row when a quote is never closed, and every later row is read', async () => {
    const read = await rows('a,b\n1,"open\n2,x\n3,y\n');
    expect(read.map((row) => [row.line, row.fault, row.cells[0]])).toEqual([
      [1, null, 'a'],
      [2, 'row_quote_unclosed', '1,"open'],
      [3, null, '2'],
      [4, null, '3'],
    ]);
  });

  it('costs one row when text follows a closing quote', async () => {
    const read = await rows('a,b\n"x"y,1\nc,d\n');
    expect(read.map((row) => row.fault)).toEqual([null, 'row_quote_misplaced', null]);
    expect(read[1]?.cells).toEqual(['"x"y,1']);
  });

  it('gives an open quote up at the row limit and goes on with the next line', async () => {
    const filler = 'x,y\n'.repeat(200);
    const read = await rows(`"open\n${filler}`, {}, withLimits({ maxRowBytes: 256 }));
    expect(read.length).toBe(201);
    expect(read[0]?.fault).toBe('row_quote_unclosed');
    expect(read.slice(1).every((row) => row.fault === null)).toBe(true);
  });

  it('reads the same rows however small the chunks are', async () => {
    const text = 'a,"b ""c""\r\nd"\r\n"x"y,1\r\n1,"never closed\r\n2,"ok"\r\n';
    const whole = await rows(text, { lineEnd: 'crlf' });
    for (const chunk of [1, 2, 3, 5, 7]) {
      expect(await rows(text, { lineEnd: 'crlf' }, defaultLimits, chunk)).toEqual(whole);
    }
  });

  it('refuses a file in which quotes are opened over and over without end', async () => {
    const text = `"${'""\n'.repeat(2_000)}x`;
    const limits = withLimits({ maxRowBytes: 512, maxRescanBytes: 256 });
    await expect(rows(text, {}, limits)).rejects.toMatchObject({ code: 'quotes_broken' });
  });
});

describe('attacks', () => {
  it('refuses one endless line after the row limit, naming the line', async () => {
    const text = `a,b\n${'x'.repeat(3 * 1024 * 1024)}`;
    await expect(rows(text)).rejects.toMatchObject({ code: 'line_too_long', params: { line: 2 } });
  });

  it('refuses an endless line that starts with a quote', async () => {
    await expect(rows(`"${'x'.repeat(3 * 1024 * 1024)}`)).rejects.toMatchObject({ code: 'line_too_long' });
  });

  it('refuses a million columns', async () => {
    const limits = withLimits({ maxRowBytes: 16 * 1024 * 1024 });
    await expect(rows(','.repeat(1_000_000), {}, limits)).rejects.toMatchObject({ code: 'too_many_columns' });
  });

  it('does not depend on the chunks when it refuses', async () => {
    const text = `a\n${'y'.repeat(2_000)}\n`;
    for (const chunk of [64, 999, 1 << 16]) {
      await expect(rows(text, {}, withLimits({ maxRowBytes: 1_000 }), chunk)).rejects.toMatchObject({
        code: 'line_too_long',
      });
    }
  });

  it('marks a row with a NUL byte and reads the others', async () => {
    const read = await rows('a,b\n1,\0x\n2,y\n');
    expect(read.map((row) => row.fault)).toEqual([null, 'row_nul_byte', null]);
  });
});
