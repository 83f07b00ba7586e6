// Files as strangers bring them, of kinds that were once read wrongly silently: now they are read rightly, or the run asks.
import { writeXlsx } from 'hucre/xlsx';
import { describe, expect, it } from 'vitest';
import { readTable as readBuilt } from '../../test/support/built-readers.ts';
import { allRows, textSource } from '../../test/support/tables.ts';
import { bytesSource } from './byte-source.ts';
import { readTable } from './read-table.ts';

const lines = (...rows: string[]) => `${rows.join('\n')}\n`;

async function read(text: string) {
  const table = await readTable(textSource(text));
  const rows = await allRows(table.batches());
  return {
    names: table.reading.header.value.names,
    held: (table.reading.doubts ?? []).filter(({ holds }) => holds === true).map(({ code }) => code),
    data: rows.filter(({ kind }) => kind === 'data').map(({ cells }) => cells),
    kinds: rows.map(({ kind }) => kind),
  };
}

const linesOf = (delimiter: string, ...rows: string[][]) => lines(...rows.map((cells) => cells.join(delimiter)));

async function readWorkbook(sheets: readonly { readonly name: string; readonly rows: (string | number)[][] }[]) {
  const bytes = await writeXlsx({ sheets: sheets.map(({ name, rows }) => ({ name, rows })) });
  const { reading, batches } = await readBuilt(bytesSource(bytes), { fileName: 'report.xlsx' });
  const rows = await allRows(batches());
  return {
    names: reading.header.value.names,
    held: (reading.doubts ?? []).filter(({ holds }) => holds === true).map(({ code }) => code),
    data: rows.filter(({ kind }) => kind === 'data').map(({ cells }) => cells),
  };
}

describe('numbers whose points may group thousands', () => {
  const rupiah = ['2024-03-01,Alpha,125.000,1.000', '2024-03-02,Beta,72.500,500'];

  it('are asked about where nothing in the file tells', async () => {
    expect((await read(lines('day,name,cost,views', ...rupiah))).held).toEqual(['numbers_doubtful']);
  });

  it('are told as a guess where the semicolons between cells alone speak for one of them', async () => {
    const { reading } = await readTable(textSource(lines('case;name;amount', 'E-1;Ann;1.234', 'E-2;Bob;2.500')));
    expect(reading.doubts).toMatchObject([{ code: 'numbers_doubtful' }]);
    expect(reading.doubts?.[0]?.holds).toBeUndefined();
  });

  it('are decimals without a question where a column has longer numbers without a sign', async () => {
    expect((await read(lines('day,name,weight', 'a,Aa,1.234', 'b,Bb,5678'))).held).toEqual([]);
  });

  it('are decimals without a question where one of them proves it', async () => {
    expect((await read(lines('day,name,weight', 'a,Aa,1.234', 'b,Bb,0.125'))).held).toEqual([]);
  });
});

describe('lines set like columns with blanks', () => {
  it('are not stored as one text each without a question', async () => {
    const set = ['id     name          amount', '1      Aa Bb         12.50', '2      Cc            7.25'];
    const text = lines(...set, '3      Dd Ee         1.00');
    expect((await read(text)).held).toEqual(['delimiter_doubtful']);
  });

  it('are no doubt where a line is a text as any other', async () => {
    expect((await read(lines('title', 'A long  walk', 'Home', 'Far away'))).held).toEqual([]);
  });
});

describe('lines of one column that all hold the same sign', () => {
  it.each([
    ['quoted as wholes', '"id,name,city"', '"1,Aa,Bb"', '"2,Cc,Dd"'],
    ['quoted as wholes with quotes inside', '"id,""name"",city"', '"1,""Aa"",Bb"', '"2,""Cc"",Dd"'],
    ['parted by a sign of another alphabet', 'id，name，city', '1，Aa，Bb', '2，Cc，Dd'],
    ['parted by a sign that is not ASCII', 'id§name', '1§Aa', '2§Bb'],
    ...['#', '!', '%', '*', '=', '&', '$', '@', '/', '\\', '`', '£', '-', '_'].map(
      (sign): [string, string, string, string] => [
        `parted by ${sign}`,
        `id${sign}name${sign}city`,
        `1${sign}Aa${sign}Oslo`,
        `2${sign}Bb${sign}Rome`,
      ],
    ),
  ])('are not stored as one text each without a question: %s', async (_, ...rows) => {
    expect((await read(lines(...rows))).held).toEqual(['delimiter_doubtful']);
  });

  it('can be read at that sign by one answer', async () => {
    const text = lines('id§name', '1§Aa', '2§Bb');
    const { overrides = {} } = (await readTable(textSource(text))).reading.doubts?.[0]?.answers[1] ?? {};
    const { reading } = await readTable(textSource(text), { overrides });
    expect(reading.header.value.names).toEqual(['id', 'name']);
  });

  it('are no doubt where the name does not hold it', async () => {
    expect((await read(lines('first-name', 'Ann-Marie', 'Jean-Luc', 'Karl-Heinz'))).held).toEqual([]);
    expect((await read(lines('rate %', '5 %', '7 %', '9 %'))).held).toEqual([]);
    expect((await read(lines('#item', '#1', '#2', '#3'))).held).toEqual([]);
    expect((await read(lines('email', 'a@x.com', 'b@x.com', 'c@y.com'))).held).toEqual([]);
    expect((await read(lines('name', '"Aa, Bb"', '"Cc, Dd"', '"Ee, Ff"'))).held).toEqual([]);
  });
});

describe('cells parted by several signs', () => {
  const names = ['day', 'name', 'cost', 'note'];
  const rows = [
    ['2024-01-01', 'Aa', '1.50', ''],
    ['2024-01-02', '', '2.50', 'x'],
    ['2024-01-03', 'Dd Ee', '3.50', ''],
    ['2024-01-04', 'Ff', '4.50', 'y'],
  ];

  it.each([
    ...[
      '||',
      '|||',
      '::',
      ' :: ',
      '\t\t',
      ';;',
      '~~',
      '^^',
      '|~|',
      '^|^',
      '<|>',
      '[,]',
      '##',
      '@@',
      '$$',
      '->',
      '<>',
      '--',
    ],
  ])('are read as such: "%s"', async (delimiter) => {
    expect(await read(linesOf(delimiter, names, ...rows))).toMatchObject({ names, data: rows, held: [] });
  });

  it('may hold the single sign: times between colons', async () => {
    const data = [
      ['2024-01-01', '10:30', 'Aa'],
      ['2024-01-02', '11:45', 'Bb'],
    ];
    expect(await read(linesOf('::', ['day', 'time', 'name'], ...data))).toMatchObject({
      names: ['day', 'time', 'name'],
      data,
    });
  });

  it('may be quoted', async () => {
    const text = lines('day||name', '2024-01-01||"A||a"', '2024-01-02||"B ""b"""', '2024-01-03||Cc');
    expect((await read(text)).data).toEqual([
      ['2024-01-01', 'A||a'],
      ['2024-01-02', 'B "b"'],
      ['2024-01-03', 'Cc'],
    ]);
  });

  it('are not taken for what parts cells where a cell between two single signs is empty', async () => {
    const passwords = ['root:x:0:0::/root:/bin/bash', 'daemon:x:1:1::/:/bin/sh', 'bin:x:2:2::/bin:/bin/sh'];
    expect((await read(lines('name:mark:user:group:text:home:shell', ...passwords))).data[0]).toHaveLength(7);
    const bars = ['1|Aa||5', '2|Bb||6', '3|Cc||7'];
    expect((await read(lines('id|name|note|cost', ...bars))).data[0]).toEqual(['1', 'Aa', '', '5']);
    expect((await read(lines('id,,cost', '1,,5', '2,,6', '3,,7'))).data[0]).toEqual(['1', '', '5']);
  });
});

describe('a delimiter that somebody names', () => {
  const override = async (text: string, delimiter: string) => {
    const table = await readTable(textSource(text), { overrides: { delimiter } });
    return (await allRows(table.batches())).slice(1).map(({ cells }) => cells);
  };

  it('may be any sign', async () => {
    expect(await override(lines('a§b§c', '1§§3'), '§')).toEqual([['1', '', '3']]);
  });

  it('brings its own quotes and blanks, not those of the one that was found', async () => {
    // Runs of blanks part the words; empty cells between commas are no run.
    expect(await override(lines('a  b  c,d,e', '1  2  3,,5', '4  5  6,,7'), ',')).toEqual([
      ['1  2  3', '', '5'],
      ['4  5  6', '', '7'],
    ]);
  });
});

describe('lines drawn between rows', () => {
  it.each([
    ['as Markdown does', '| id | name |', '|----|:-----|', '| 1 | Aa |', '| 2 | Bb |'],
    [
      'as database shells do',
      '+----+------+',
      '| id | name |',
      '+----+------+',
      '|  1 | Aa   |',
      '|  2 | Bb   |',
      '+----+------+',
    ],
    ['as old reports do', 'id;name', '====;====', '1;Aa', '----;----', '2;Bb'],
  ])('are neither names nor rows, %s', async (_, ...rows) => {
    const { names, data, held } = await read(lines(...rows));
    expect(names.filter((name) => name !== 'Column 1')).toEqual(['id', 'name']);
    expect(data.map((cells) => cells.map((cell) => cell.trim()).filter((cell) => cell !== ''))).toEqual([
      ['1', 'Aa'],
      ['2', 'Bb'],
    ]);
    expect(held).toEqual([]);
  });
});

describe('columns set with single blanks', () => {
  it('are asked about where a name holds a blank: what stands behind it would be shifted', async () => {
    const rows = [
      'NO     NAME         AMOUNT',
      '001    Aa Bb        12',
      '002    Cc Dd        7',
      '003    Ee Ff        9',
    ];
    expect((await read(lines(...rows))).held).not.toEqual([]);
  });
});

describe('JSON', () => {
  it.each(['// made by hand', '# made by hand'])(
    'lines may stand below a comment, which is refused as the only row: %s',
    async (comment) => {
      const { names, data } = await read(lines(comment, '{"id":1,"name":"Aa"}', '{"id":2,"name":"Bb"}'));
      expect(names).toEqual(['id', 'name']);
      expect(data).toEqual([[comment], ['1', 'Aa'], ['2', 'Bb']]);
    },
  );

  it.each(['[["id","name"],[1,"Aa"]]', '{"id":[1,2],"name":["Aa","Bb"]}', "[{'id':1},{'id':2}]"])(
    'that holds entries without keys is refused as that, and not as empty: %s',
    async (text) => {
      await expect(read(text)).rejects.toMatchObject({
        code: 'json_no_records',
        message: expect.stringContaining('none of its 2 entries is an object with keys'),
      });
    },
  );

  it('that holds an empty list is an empty file', async () => {
    await expect(read('[]')).rejects.toMatchObject({ code: 'empty_file' });
  });
});

describe('a row below the names', () => {
  it('that reads like names itself is asked about: the names may be incomplete', async () => {
    const rows = ['Aa,Ca,Ea', 'Age,<18,18-24', ...Array.from({ length: 9 }, (_, i) => `North ${i},${i},${i * 7}`)];
    expect((await read(lines('Groups,Health,Culture', ...rows))).held).toEqual(['header_doubtful']);
  });
});

describe('a sign that stands in all cells of one column', () => {
  it.each([';', '|'])('does not part them where the names are parted otherwise: %s', async (sign) => {
    const rows = ['Aa', 'Bb', 'Cc', 'Dd'].map((text, i) => `${i},${text}${sign}${text}`);
    const { names, data, held } = await read(lines('id,tags', ...rows));
    expect(names).toEqual(['id', 'tags']);
    expect(data[0]).toEqual(['0', `Aa${sign}Aa`]);
    expect(held).toEqual([]);
  });
});

describe('numbers with a decimal comma between commas', () => {
  it('are asked about: the names would stand over other columns', async () => {
    expect((await read(lines('id,name,v', '1,a,1,5', '2,b,2,75', '3,c,3,5'))).held).toEqual(['unnamed_columns']);
  });

  it('are no doubt where the first cells count the rows and no number was parted', async () => {
    expect((await read(lines('name,v', '1,a,100', '2,b,275', '3,c,350'))).held).toEqual([]);
  });
});

describe('a title between delimiters', () => {
  it.each(['Report, all regions, 2020,,', 'Report,all regions', 'Sales,North,Ann'])(
    'is set aside without a question where a blank line stands below it: %s',
    async (title) => {
      const { names, held, kinds } = await read(lines(title, '', 'region,count', 'Aa,3', 'Bb,4', 'Cc,5'));
      expect(names).toEqual(['region', 'count']);
      expect(kinds[0]).toBe('preamble');
      expect(held).toEqual([]);
    },
  );

  it('is asked about where it may be a row: right above the names, or with a value of its own', async () => {
    const table = ['region,shop,count', 'Aa,X,3', 'Bb,Y,4', 'Cc,Z,5'];
    expect((await read(lines('Dd,W,6', '', ...table))).held).not.toEqual([]);
  });
});

describe('a second table right below the rows of the first', () => {
  const first = ['Day,Campaign,Clicks,Cost', ...[1, 2, 3, 4, 5].map((i) => `2024-01-0${i},Camp ${i},${i * 10},${i}.5`)];

  it('is asked about, and nothing of it is read under the first names', async () => {
    const second = ['Region,Manager,Stores,Area', 'North,Ann,5,10.5', 'South,Bob,6,12.5', 'West,Cy,7,3.5'];
    const { held, data } = await read(lines(...first, ...second));
    expect(held).toEqual(['other_table']);
    expect(data).toHaveLength(5);
  });

  it('is asked about also where two columns of values are all there is to compare', async () => {
    const rows = ['sku,title,price', '1,a,5', '2,b,6', '3,c,7'];
    const { held, data } = await read(
      lines(...rows, 'Country,Capital,People', 'France,Paris,67', 'Spain,Madrid,47', 'Italy,Rome,59'),
    );
    expect([held, data.length]).toEqual([['other_table'], 3]);
    expect((await read(lines(...rows, 'see,below,here', 'x,y,9', '4,d,8', '5,e,9'))).held).toEqual([]);
  });

  it('is none where the last row of a header over two rows comes again', async () => {
    const rows = (month: number) => [1, 2, 3, 4].map((i) => `S${i},2024-0${month}-0${i},${i}.5,${i},${i * 2}`);
    const names = 'station,observed_at,min,mean,max';
    const { held, data } = await read(lines(',,1995,,', names, ...rows(1), names, ...rows(2)));
    expect(held).toEqual([]);
    expect(data).toHaveLength(8);
  });

  it('is none where one odd row stands among rows that fit', async () => {
    const rest = first.slice(1).map((row) => row.replace('2024-01', '2024-02'));
    expect((await read(lines(...first, 'see,note,below,here', ...rest))).held).toEqual([]);
  });
});

describe('totals of groups', () => {
  it.each(['North Total', 'Total North', 'Subtotal North', 'Zwischensumme North', 'North Ergebnis'])(
    'are set aside as spreadsheets write them: %s',
    async (label) => {
      const { kinds } = await read(
        lines('region,shop,sales', 'North,Aa,10', 'North,Bb,20', `${label},,30`, 'South,Cc,5', 'Grand Total,,35'),
      );
      expect(kinds).toEqual(['header', 'data', 'data', 'total', 'data', 'total']);
    },
  );

  it('are rows where the row names all that rows name', async () => {
    const { kinds } = await read(
      lines('customer,country,sales', 'Aa,DE,10', 'Total Energies,FR,20', 'Acme Total,US,7', 'Bb,DE,30'),
    );
    expect(kinds).toEqual(['header', 'data', 'data', 'data', 'data']);
  });
});

describe('totals and balances', () => {
  it('are set aside in the middle of a report, where the label stands in the column of days', async () => {
    const { kinds } = await read(
      lines(
        'Day,Campaign,Cost',
        '2024-03-01,Alpha,12.50',
        'Total: Search,,12.50',
        '2024-03-02,Beta,7.25',
        'Total,,19.75',
      ),
    );
    expect(kinds).toEqual(['header', 'data', 'total', 'data', 'total']);
  });

  it('are set aside where a bank writes its closing balance', async () => {
    const { data } = await read(
      lines(
        'Date,Text,Amount,Balance',
        '01/03/2024,Rent,-8.00,2.00',
        '02/03/2024,Pay,25.00,27.00',
        '',
        'Closing balance,,,27.00',
      ),
    );
    expect(data.map(([date]) => date)).toEqual(['01/03/2024', '02/03/2024']);
  });
});

describe('a workbook', () => {
  const header = ['Campaign', 'Day', 'Cost'];

  it('whose table begins at D7 below a title has the names it shows', async () => {
    const left = ['', '', ''];
    const rows = [
      [],
      [],
      ['', '', 'Report 2020'],
      [],
      [],
      [],
      [...left, 'Region', 'Count'],
      [...left, 'Aa', 1],
      [...left, 'Bb', 2],
    ];
    const { names, data } = await readWorkbook([{ name: 'S', rows }]);
    expect(names.slice(3)).toEqual(['Region', 'Count']);
    expect(data.map((cells) => cells.slice(3))).toEqual([
      ['Aa', '1'],
      ['Bb', '2'],
    ]);
  });

  it('is asked about when a second table stands below blank rows, which sheets leave out', async () => {
    const first = [['id', 'name', 'city'], ...Array.from({ length: 12 }, (_, i) => [i, `Aa ${i}`, `Bb ${i}`])];
    const second = [['city', 'mayor', 'party'], ...['Cc', 'Dd', 'Ee'].map((city) => [city, `Ff of ${city}`, 'P'])];
    const { held, data } = await readWorkbook([{ name: 'Data', rows: [...first, [], [], ...second] }]);
    expect(held).toEqual(['other_table']);
    expect(data).toHaveLength(12);
  });

  it('is asked about when a second sheet has names and a single row below them', async () => {
    const march = {
      name: 'March',
      rows: [header, ['Alpha', '2024-03-01', 1.5], ['Beta', '2024-03-02', 2.5], ['Beta', '2024-03-03', 2.5]],
    };
    const april = { name: 'April', rows: [header, ['Alpha', '2024-04-01', 1.5]] };
    expect((await readWorkbook([march, april])).held).toEqual(['sheet_doubtful']);
    const remark = {
      name: 'Remark',
      rows: [
        ['Made by', 'Aa'],
        ['On', '2024'],
      ],
    };
    expect((await readWorkbook([march, remark])).held).toEqual([]);
  });
});
