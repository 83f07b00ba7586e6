import { describe, expect, it } from 'vitest';
import {
  allRows,
  delimited,
  googleReport,
  googleSegmented,
  metaExport,
  textSource,
  tiktokRows,
} from '../../../test/support/tables.ts';
import { openTable, readTable } from '../read-table.ts';
import type { SniffOptions } from '../sniff-table.ts';

async function kinds(text: string, options: SniffOptions & { batchBytes?: number } = {}) {
  const table = await readTable(textSource(text), options);
  return (await allRows(table.batches())).map((row) => row.kind);
}

const header = 'Campaign,Campaign ID,Day,Cost\n';
const row = (day: number, name = 'Spring') => `${name},12021000000000${day + 10},2024-01-${day + 10},${day}.50\n`;

describe('totals with a label', () => {
  it('sets the totals of a Google report aside and keeps a campaign named Total Recall', async () => {
    expect(await kinds(googleReport)).toEqual(['preamble', 'preamble', 'header', 'data', 'data', 'total', 'total']);
  });

  it('finds the label in the second column, once per segment', async () => {
    expect(await kinds(googleSegmented)).toEqual(['preamble', 'preamble', 'header', 'data', 'data', 'total', 'total']);
  });

  it('finds the total of a TikTok export', async () => {
    expect(await kinds(delimited(tiktokRows))).toEqual(['header', 'data', 'data', 'total']);
  });

  it.each([
    'Total',
    'TOTAL',
    'Grand total',
    'Total: Account',
    'Gesamt',
    'Totaux',
    'Итого',
    '合計',
    'Toplam',
    'Total (2 rows)',
    'Total - all',
    'Total of 2 results',
    'Total 2',
  ])('knows the label %j', async (label) => {
    expect((await kinds(`${header}${row(1)}${row(2)}"${label}",,,4.00\n`)).at(-1)).toBe('total');
  });

  it.each(['Total Recall', 'Totally new', 'Summer', 'Sommerschlussverkauf'])(
    'keeps a campaign named %j',
    async (name) => {
      expect(await kinds(`${header}${row(1)}${row(2, name)}${row(3)}`)).toEqual(['header', 'data', 'data', 'data']);
    },
  );

  it('keeps a row named like a total whose other names are filled', async () => {
    expect(await kinds(`${header}${row(1)}${row(2, 'Total')}${row(3)}`)).toEqual(['header', 'data', 'data', 'data']);
  });

  it('keeps a row named like a total that has its day, in a table that names nothing else', async () => {
    expect(await kinds('Campaign,Day,Cost\nA,2024-01-05,1\nTotal,2024-01-06,2\nTotal,,3\n')).toEqual([
      'header',
      'data',
      'data',
      'total',
    ]);
  });

  it('takes the words of the caller instead of its own', async () => {
    const text = `${header}${row(1)}${row(2)}Everything,,,3.00\nTotal,,,3.00\n`;
    expect((await kinds(text, { totalWords: ['everything'] })).slice(-2)).toEqual(['total', 'data']);
    expect((await kinds(`${header}${row(1)}Everything,,,3.00\n${row(2)}`, { totalWords: ['everything'] })).at(2)).toBe(
      'total',
    );
    expect((await kinds(`${header}${row(1)}Everything,,,3.00\n${row(2)}`)).at(2)).toBe('data');
  });
});

describe('totals without a label', () => {
  it('sets the first row of a Meta export aside, which names nothing', async () => {
    expect(await kinds(metaExport)).toEqual(['header', 'total', 'data', 'data']);
  });

  it('sets it aside at the end as well', async () => {
    expect(await kinds(`${header}${row(1)}${row(2)},,,3.00\n`)).toEqual(['header', 'data', 'data', 'total']);
  });

  it('keeps such a row in the middle: it is a broken row that somebody must see', async () => {
    expect(await kinds(`${header}${row(1)},,2024-01-12,3.00\n${row(2)}`)).toEqual(['header', 'data', 'data', 'data']);
  });
});

describe('other set-aside lines', () => {
  it('keeps a last row without a name that has a day of its own, or a number in front', async () => {
    const dated = 'Day,Campaign,Cost\n2024-01-01,A,1\n2024-01-02,B,2\n2024-01-03,,9\n';
    const counted = 'id,name,v\n5,a,1\n9,b,2\n7,,3.5\n8,\\N,9\n';
    for (const text of [dated, counted])
      expect((await kinds(text)).filter((kind) => kind !== 'data')).toEqual(['header']);
  });

  it.each(['Σύνολο', 'Yhteensä', 'Összesen', 'Average'])(
    'sets a last row aside that has a word for its day: %s',
    async (word) => {
      const days = [1, 2, 3, 4, 5, 6].map((day) => `2024-01-0${day},A ${day},${day}`);
      const text = `Day,Campaign,Cost\n${days.join('\n')}\n${word},,21\n`;
      expect((await kinds(text)).at(-1)).toBe('total');
    },
  );

  it('goes on by the rules that a stored reading was decided with', async () => {
    const source = textSource('id,name,v\n5,a,1\n9,b,2\n7,,3.5\n');
    const { rules: _, ...before } = (await readTable(source)).reading;
    expect((await allRows(openTable(source, before).batches())).at(-1)?.kind).toBe('total');
    expect((await allRows(openTable(source, { ...before, rules: 1 }).batches())).at(-1)?.kind).toBe('data');
  });

  it('sets a last row without a name aside that spans the days of the others', async () => {
    const text =
      'Reporting starts,Reporting ends,Campaign,Cost\n2024-01-01,2024-01-01,A,1\n2024-01-02,2024-01-02,B,2\n2024-01-01,2024-01-02,,3\n';
    expect((await kinds(text)).at(-1)).toBe('total');
  });

  it('knows blank lines, also those made of delimiters', async () => {
    expect(await kinds(`${header}\n${row(1)},,,\n${row(2)} \n`)).toEqual([
      'header',
      'blank',
      'data',
      'blank',
      'data',
      'blank',
    ]);
  });

  it('sets notes below the table aside', async () => {
    const notes = '\nGenerated by Example on 5 January\nAll times are UTC\n';
    expect(await kinds(`${header}${row(1)}${row(2)}${notes}`)).toEqual([
      'header',
      'data',
      'data',
      'blank',
      'footer',
      'footer',
    ]);
    expect(await kinds(`${header}${row(1)}${row(2)}Total,,,3.00\nGenerated,by us\n`)).toEqual([
      'header',
      'data',
      'data',
      'total',
      'footer',
    ]);
  });

  it('keeps a last row that was cut off, and one that cannot be split', async () => {
    expect(await kinds(`${header}${row(1)}${row(2)}Spring,12021`)).toEqual(['header', 'data', 'data', 'data']);
    expect(await kinds(`${header}${row(1)}${row(2)}\nSpring,"12021`)).toEqual([
      'header',
      'data',
      'data',
      'blank',
      'data',
    ]);
  });

  it('sets a header aside that is repeated in the middle', async () => {
    expect(await kinds(`${header}${row(1)}${header}${row(2)}`)).toEqual(['header', 'data', 'repeated_header', 'data']);
  });

  it('puts a row back that the user wants to keep', async () => {
    const text = `${header}${row(1)}Total,,,1.50\n`;
    expect(await kinds(text, { overrides: { keptLines: [3] } })).toEqual(['header', 'data', 'data']);
  });
});

describe('rows of the wrong length', () => {
  async function faults(text: string, options: SniffOptions = {}) {
    const table = await readTable(textSource(text), options);
    return (await allRows(table.batches())).filter((read) => read.kind === 'data').map((read) => read.fault);
  }

  it('marks rows that are too short or too long', async () => {
    expect(await faults(`${header}${row(1)}cut,1,2024-01-05\n${row(2)}a,1,2024-01-05,2,extra\n${row(3)}`)).toEqual([
      null,
      'row_too_short',
      null,
      'row_too_long',
      null,
    ]);
  });

  it('accepts empty cells beyond the header', async () => {
    expect(await faults(`${header}${row(1).trim()},,\n${row(2)}`)).toEqual([null, null]);
  });

  it('fills short rows up when the reading says so', async () => {
    expect(await faults(`${header}${row(1)}cut,1,2024-01-05\n${row(2)}`, { overrides: { shortRows: 'pad' } })).toEqual([
      null,
      null,
      null,
    ]);
  });
});
