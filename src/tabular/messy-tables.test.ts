// The kinds of messy files that were once read wrongly, each as a small table: what is read, what is set aside and why, what is doubted.
import { describe, expect, it } from 'vitest';
import { allRows, textSource } from '../../test/support/tables.ts';
import { readTable } from './read-table.ts';
import { type RowKind, setAsideReason } from './row-batch.ts';
import type { SniffOptions } from './sniff-table.ts';

async function read(text: string, options: SniffOptions = {}) {
  const table = await readTable(textSource(text), options);
  const rows = await allRows(table.batches());
  return {
    reading: table.reading,
    names: table.reading.header.value.names,
    data: rows.filter((row) => row.kind === 'data' && row.fault === null).map((row) => row.cells),
    faults: rows.flatMap((row) => (row.fault === null ? [] : [row.fault])),
    aside: rows.flatMap((row) => {
      const reason = setAsideReason(row.kind as RowKind);
      return reason === null ? [] : [[row.line, reason]];
    }),
    doubts: (table.reading.doubts ?? []).map(({ code }) => code),
  };
}

const lines = (...rows: string[]) => `${rows.join('\n')}\n`;
const towns = ['Ulm', 'Bonn', 'Graz', 'Linz', 'Bern', 'Chur', 'Jena', 'Gera', 'Hof', 'Celle'];

describe('rows and header of different width', () => {
  it('adds unnamed columns where the rows are wider, says so, and refuses nothing', async () => {
    const text = lines('name;2019;2020', ...towns.map((town, i) => `${town};${i + 10};${i * 3};x${i}`));
    const { names, data, faults, doubts, reading } = await read(text);
    expect(names).toEqual(['name', '2019', '2020', 'Column 4']);
    expect([data.length, faults]).toEqual([10, []]);
    expect(doubts).toContain('unnamed_columns');
    expect(reading.warnings.map(({ code }) => code)).toContain('unnamed_columns');
  });

  it('takes numbered rows for unnamed ones: the names belong to the columns behind the number', async () => {
    const { names, data } = await read(lines('town,area', ...towns.map((town, i) => `${i + 1},${town},${i}.5`)));
    expect(names).toEqual(['Column 1', 'town', 'area']);
    expect(data[0]).toEqual(['1', 'Ulm', '0.5']);
  });

  it('forgets an empty last name, and fills rows up that leave out a named column throughout', async () => {
    expect((await read(lines('a,b,c,', '1,2,3', '4,5,6'))).names).toEqual(['a', 'b', 'c']);
    const { data, faults, doubts } = await read(lines('town,area,notes', ...towns.map((town, i) => `${town},${i}`)));
    expect([data.length, faults]).toEqual([10, []]);
    expect(doubts).toContain('rows_padded');
  });

  it('refuses a single row of the wrong width and keeps the others', async () => {
    const rows = towns.map((town, i) => (i === 4 ? `${town},1,2,3` : i === 6 ? town : `${town},${i}`));
    const { data, faults, doubts } = await read(lines('town,area', ...rows));
    expect([data.length, faults.sort()]).toEqual([8, ['row_too_long', 'row_too_short']]);
    expect(doubts).toEqual([]);
  });

  it('does not add columns for delimiters that nobody quoted: their values would stand in the wrong columns', async () => {
    const rows = towns.map((town, i) => (i % 3 === 0 ? `${town}, at the river,${i},x` : `${town},${i},x`));
    const { names, faults } = await read(lines('town,area,kind', ...rows));
    expect(names).toEqual(['town', 'area', 'kind']);
    expect(new Set(faults)).toEqual(new Set(['row_too_long']));
  });
});

describe('names that look like values', () => {
  it.each([
    ['years', 'region,2018,2019'],
    ['codes', 'name,ROI30,TOP10'],
    ['ordinals', 'code,1st,2nd'],
    ['signs', 'name,< 18,% of all'],
  ])('%s are names when the rows are of other kinds', async (_title, header) => {
    const { names, data } = await read(lines(header, ...towns.map((town, i) => `${town},${i * 217},${i}.25`)));
    expect(names).toEqual(header.split(','));
    expect(data).toHaveLength(10);
  });

  it('a first row of values is no header: it is kept, and the doubt says that no names were found', async () => {
    const text = lines(
      'Rome,Italy,FCO',
      'Oslo,Norway,OSL',
      'Lima,Peru,LIM',
      'Milan,Italy,MXP',
      'Bergen,Norway,BGO',
      'Turin,Italy,TRN',
    );
    const { names, data, doubts } = await read(text);
    expect(names).toEqual(['Column 1', 'Column 2', 'Column 3']);
    expect(data[0]).toEqual(['Rome', 'Italy', 'FCO']);
    expect(doubts).toContain('no_header');
  });

  it('is never called exact when another answer comes close', async () => {
    const { reading } = await read(lines('Egon,Linz', 'Anna,Ulm', 'Bert,Bonn'));
    expect(reading.header.confidence).toBe('guess');
    expect(reading.header.evidence?.against.length).toBeGreaterThan(0);
  });
});

describe('quotes in the header', () => {
  it.each([
    ['inside a name', 'id,height in 5" steps,note'],
    ['inside a quoted name', '"id","height in 5" steps","note"'],
  ])('%s make no other names', async (_title, header) => {
    const { names, data } = await read(lines(header, ...towns.map((town, i) => `${i},${i}.5,"${town}"`)));
    expect(names).toEqual(['id', 'height in 5" steps', 'note']);
    expect(data).toHaveLength(10);
  });
});

describe('headers of several rows', () => {
  it('carries group titles to the right and puts them before the names', async () => {
    const rows = towns.map((town, i) => `${town},${i},${i * 2},${i * 3},${i * 4}`);
    const { names, data } = await read(lines(',2019,,2020,', 'region,men,women,men,women', ...rows));
    expect(names).toEqual(['region', '2019 men', '2019 women', '2020 men', '2020 women']);
    expect(data).toHaveLength(10);
  });

  it('joins up to five rows', async () => {
    const header = [
      'Town,Water,Water',
      'all,cold,warm',
      'kinds,metered,metered',
      'of,litres,litres',
      'them,daily,daily',
    ];
    const { names, data } = await read(lines(...header, ...towns.map((town, i) => `${town},${i * 7},${i * 11}`)));
    expect(names).toEqual([
      'Town all kinds of them',
      'Water cold metered litres daily',
      'Water warm metered litres daily',
    ]);
    expect(data).toHaveLength(10);
  });

  it('takes a row of units for a part of the header', async () => {
    const { names, data } = await read(
      lines('town,distance,time', ',(km),(h)', ...towns.map((town, i) => `${town},${i * 9},${i}.5`)),
    );
    expect(names).toEqual(['town', 'distance (km)', 'time (h)']);
    expect(data).toHaveLength(10);
  });

  it('does not take the first row of a table of texts for a second header', async () => {
    const { names, data } = await read(lines('city,mayor', 'Aa,Bb Cc', 'Dd,Ee Ff', 'Gg,Hh Ii', 'Jj,Kk Ll'));
    expect(names).toEqual(['city', 'mayor']);
    expect(data[0]).toEqual(['Aa', 'Bb Cc']);
  });
});

describe('lines around the table', () => {
  const body = towns.map((town, i) => `${town},${i * 12},x${i}`);

  it('sets a title with delimiters aside', async () => {
    const { names, aside } = await read(lines('Report, all regions, 2020,,', '', 'region,count,code', ...body));
    expect(names).toEqual(['region', 'count', 'code']);
    expect(aside).toEqual([
      [1, 'title'],
      [2, 'blank'],
    ]);
  });

  it('sets a note between header and data aside, and a header that comes again', async () => {
    const { data, aside } = await read(
      lines('region,count,code', '(in thousands)', ...body.slice(0, 5), 'region,count,code', ...body.slice(5)),
    );
    expect(data).toHaveLength(10);
    expect(aside).toEqual([
      [2, 'note'],
      [8, 'repeated_header'],
    ]);
  });

  it.each(['Source: town hall', '* provisional', 'Generated 3 May', 'n.a. = not available'])(
    'sets "%s" right below the data aside',
    async (note) => {
      const { data, aside } = await read(lines('region,count,code', ...body, note));
      expect(data).toHaveLength(10);
      expect(aside).toEqual([[12, 'note']]);
    },
  );

  it('tells a narrower table above from titles, and names both in a doubt', async () => {
    const { names, data, aside, reading } = await read(
      lines('year,total', '2019,5', '2020,6', '', 'region,count,code', ...body),
    );
    expect(names).toEqual(['region', 'count', 'code']);
    expect(data).toHaveLength(10);
    expect(aside.slice(0, 3)).toEqual([1, 2, 3].map((line) => [line, 'other_table']));
    expect(reading.doubts).toMatchObject([
      { code: 'other_table', rowsAtStake: 2, answers: [{}, { overrides: { headerLines: [1] } }] },
    ]);
    const other = await read(lines('year,total', '2019,5', '2020,6', '', 'region,count,code', ...body), {
      overrides: { headerLines: [1] },
    });
    expect(other.names).toEqual(['year', 'total']);
    expect(other.data).toEqual([
      ['2019', '5'],
      ['2020', '6'],
    ]);
  });

  it('sets a second table below aside as one', async () => {
    const { data, aside, doubts } = await read(
      lines('region,count,code', ...body, '', 'year,total', '2019,5', '2020,6'),
    );
    expect(data).toHaveLength(10);
    expect(aside.slice(1)).toEqual([13, 14, 15].map((line) => [line, 'other_table']));
    expect(doubts).toEqual(['other_table']);
  });
});

describe('rows called total', () => {
  const measures = ['Births,120', 'Deaths,80', 'Total,1200', 'Marriages,44', 'Net migration,7'];

  it('are data in a file that names its rows by nothing else, unless the rows above add up to them', async () => {
    expect((await read(lines('measure,value', ...measures))).data).toHaveLength(5);
    expect((await read(lines('measure,value', ...measures.slice(3), 'Total,1200'))).data).toHaveLength(3);
    const summed = await read(lines('measure,value', 'Births,120', 'Deaths,80', 'Total,200'));
    expect(summed.aside).toEqual([[4, 'total']]);
  });
});

describe('delimiters and quotes', () => {
  it.each([
    ['blanks', ' ', {}],
    ['runs of blanks', '    ', { repeats: true }],
    ['a comma and a blank', ', ', { delimiter: ',', dropsBlanks: true }],
    ['unit separators', '\x1f', { delimiter: '\x1f' }],
  ])('finds %s', async (_title, delimiter, dialect) => {
    const rows = towns.map((town, i) => [town, String(i * 31), `x${i}`].join(delimiter));
    const { names, data, reading } = await read(lines(['town', 'area', 'code'].join(delimiter), ...rows));
    expect(names).toEqual(['town', 'area', 'code']);
    expect(data[1]).toEqual(['Bonn', '31', 'x1']);
    expect(reading.dialect?.value).toMatchObject(dialect);
  });

  it('reads single quotes around apostrophes, doubled or not', async () => {
    const rows = towns.map((town, i) => `'${town}','it${i % 2 === 0 ? "'" : "''"}s ${i}, or so',${i}`);
    const { data, faults } = await read(lines("'town','text','n'", ...rows));
    expect(faults).toEqual([]);
    expect(data.slice(0, 2)).toEqual([
      ['Ulm', "it's 0, or so", '0'],
      ['Bonn', "it's 1, or so", '1'],
    ]);
  });

  it('refuses the row of an unclosed quote and no other', async () => {
    const rows = Array.from({ length: 200 }, (_, i) => (i === 17 ? `${i},"open` : `${i},"text ${i}"`));
    const { data, faults } = await read(lines('id,text', ...rows));
    expect([data.length, faults.length]).toEqual([199, 1]);
    expect(faults[0]).toMatch(/^row_quote_/);
  });

  it.each(['\\N', 'NULL', '#N/A', '..', 'n.a.'])('knows %j as empty, and says in which column', async (marker) => {
    const rows = towns.map((town, i) => `${town},${i % 4 === 1 ? marker : i * 5},x`);
    const { reading } = await read(lines('town,area,code', ...rows));
    expect(reading.columns[1]).toMatchObject({ kind: 'integer', emptyMarkers: [marker] });
    expect(reading.columns[0]?.emptyMarkers).toEqual([]);
  });

  it('says that the delimiter is doubtful when two do nearly as well', async () => {
    const { reading, doubts } = await read(lines('a;b|c', '1;2|3', '4;5|6', '7;8|9'));
    expect(reading.dialect?.confidence).not.toBe('exact');
    expect(reading.dialect?.rival).toBeDefined();
    expect(doubts).toContain('delimiter_doubtful');
  });
});
