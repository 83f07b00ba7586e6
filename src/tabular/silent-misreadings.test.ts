// Files that read cleanly and say something else than was meant: tables side by side, rows that a workbook hides, text encoded twice, UTF-7.
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { textSource } from '../../test/support/tables.ts';
import { buildWorkbook } from '../../test/support/workbooks.ts';
import { bytesSource } from './byte-source.ts';
import { readTable, type Table } from './read-table.ts';
import { type Position, startOfFile } from './row-batch.ts';
import { doubtsOfFindings, SetAsideWatch } from './set-aside-watch.ts';
import { parseNumber } from './values/parse-number.ts';

const lines = (...rows: string[]) => `${rows.join('\n')}\n`;
const doubtsIn = async (text: string) => (await readTable(textSource(text))).reading.doubts ?? [];

async function lateDoubts(table: Table, from: Position = startOfFile) {
  const watch = new SetAsideWatch(table.reading);
  for await (const batch of table.batches(from)) watch.addSpans(batch);
  return doubtsOfFindings(watch.findings);
}

describe('two tables side by side', () => {
  it('hold the run where one goes on when the other has ended', async () => {
    const text = lines(
      'Day,Campaign,Cost,,Region,Budget,Owner',
      '2024-01-01,A,1.50,,North,100,Ann',
      '2024-01-02,B,2.50,,South,200,Bob',
      '2024-01-03,C,3.50,,West,300,Cy',
      '2024-01-04,D,4.50,,East,400,Di',
      '2024-01-05,E,5.50,,,,',
      '2024-01-06,F,6.50,,,,',
    );
    expect(await doubtsIn(text)).toMatchObject([
      {
        code: 'other_table',
        holds: true,
        rowsAtStake: 4,
        lines: [1],
        message: expect.stringContaining('from column 5'),
      },
    ]);
  });

  it('hold the run where both name the same things', async () => {
    const text = lines(
      'Day,Clicks,Cost,,Day,Clicks,Cost',
      ...[1, 2, 3, 4].map((i) => `2024-01-0${i},${i},${i}.50,,2024-02-0${i},${i + 5},${i + 5}.50`),
    );
    expect(await doubtsIn(text)).toMatchObject([{ code: 'other_table', holds: true, rowsAtStake: 4 }]);
  });

  it('hold the run where they stand in a sheet', async () => {
    const cell = (place: string, value: string) => `<c r="${place}" t="str"><v>${value}</v></c>`;
    const row = (number: number, texts: Readonly<Record<string, string>>) =>
      `<row r="${number}">${Object.entries(texts)
        .map(([column, text]) => cell(`${column}${number}`, text))
        .join('')}</row>`;
    const rows = [
      row(1, { A: 'Day', B: 'Cost', D: 'Region', E: 'Budget' }),
      row(2, { A: '2024-01-01', B: '1.50', D: 'North', E: '100' }),
      row(3, { A: '2024-01-02', B: '2.50', D: 'South', E: '200' }),
      row(4, { D: 'West', E: '300' }),
    ];
    const { reading } = await readTable(bytesSource(buildWorkbook({ rows: rows.join('') })));
    expect(reading.doubts).toMatchObject([{ code: 'other_table', holds: true, rowsAtStake: 3 }]);
  });

  it('are only mentioned where nothing but the gap speaks for two', async () => {
    const text = lines('Day,Campaign,,Clicks,Cost', ...[1, 2, 3].map((i) => `2024-01-0${i},Name ${i},,${i},${i}.50`));
    const doubts = await doubtsIn(text);
    expect(doubts).toMatchObject([{ code: 'other_table' }]);
    expect(doubts[0]?.holds).toBeUndefined();
  });

  it('are no doubt where the column has a name or a value, or where one column stands alone', async () => {
    const rows = (gap: string) => [1, 2, 3].map((i) => `2024-01-0${i},Name ${i},${gap},${i},${i}.50`);
    expect(await doubtsIn(lines('Day,Campaign,Note,Clicks,Cost', ...rows('')))).toEqual([]);
    expect(await doubtsIn(lines('Day,Campaign,,Clicks,Cost', ...rows('x')))).not.toMatchObject([
      { code: 'other_table' },
    ]);
    expect(await doubtsIn(lines('Day,,Clicks,Cost', ...[1, 2, 3].map((i) => `2024-01-0${i},,${i},${i}.50`)))).toEqual(
      [],
    );
  });
});

describe('rows that a workbook hides', () => {
  const row = (number: number, attributes = '') =>
    `<row r="${number}"${attributes}><c r="A${number}" t="str"><v>Name ${number}</v></c><c r="B${number}"><v>${number}</v></c></row>`;
  const names = '<row r="1"><c r="A1" t="str"><v>Name</v></c><c r="B1" t="str"><v>Cost</v></c></row>';
  const hiding = (...hidden: number[]) =>
    buildWorkbook({
      rows: names + [2, 3, 4, 5, 6].map((n) => row(n, hidden.includes(n) ? ' hidden="1"' : '')).join(''),
    });

  it('are read and told, also when reading goes on behind them', async () => {
    const table = await readTable(bytesSource(hiding(3, 4)));
    const told = [{ code: 'workbook_hides_rows', rowsAtStake: 2, lines: [3, 4] }];
    expect(await lateDoubts(table)).toMatchObject(told);
    expect(await lateDoubts(table, { offset: 5, line: 6, row: 5 })).toMatchObject(told);
  });

  it('are no doubt where all are shown, or only empty ones are hidden', async () => {
    expect(await lateDoubts(await readTable(bytesSource(hiding())))).toEqual([]);
    const empty = buildWorkbook({ rows: `${names}${row(2)}${row(3)}<row r="4" hidden="1"/>${row(5, ' hidden="0"')}` });
    expect(await lateDoubts(await readTable(bytesSource(empty)))).toEqual([]);
  });
});

describe('columns that a workbook hides', () => {
  const cell = (place: string, text: string) => `<c r="${place}" t="str"><v>${text}</v></c>`;
  const rows = [
    `<row r="1">${cell('A1', 'Name')}${cell('B1', 'Cost')}${cell('C1', 'Owner')}</row>`,
    ...[2, 3, 4].map(
      (n) => `<row r="${n}">${cell(`A${n}`, `N${n}`)}${cell(`B${n}`, `${n}`)}${cell(`C${n}`, 'Ann')}</row>`,
    ),
  ].join('');
  const hiding = (cols: string) =>
    buildWorkbook({ sheet: `<worksheet><cols>${cols}</cols><sheetData>${rows}</sheetData></worksheet>` });

  it.each([
    ['hidden', '<col min="2" max="3" width="9" hidden="1"/>'],
    ['without a width', '<col min="2" max="2" width="0" customWidth="1"/><col min="3" max="3" hidden="true"/>'],
  ])('are read and told by name, also when reading goes on behind them: %s', async (_, cols) => {
    const table = await readTable(bytesSource(hiding(cols)));
    const told = [{ code: 'workbook_hides_columns', message: expect.stringContaining('2 columns: Cost, Owner') }];
    expect(await lateDoubts(table)).toMatchObject(told);
    expect(await lateDoubts(table, { offset: 3, line: 4, row: 3 })).toMatchObject(told);
  });

  it('are no doubt where they are shown, or hold nothing', async () => {
    for (const cols of ['<col min="1" max="3" width="12"/>', '<col min="4" max="16384" hidden="1"/>'])
      expect(await lateDoubts(await readTable(bytesSource(hiding(cols))))).toEqual([]);
  });
});

describe('sheets that a workbook hides', () => {
  const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet';
  const sheetOf = (name: string) =>
    `<worksheet><sheetData>${['Name', 'A', 'B', 'C'].map((text, i) => `<row r="${i + 1}"><c r="A${i + 1}" t="str"><v>${name} ${text}</v></c><c r="B${i + 1}" t="str"><v>${i === 0 ? 'Cost' : i}</v></c></row>`).join('')}</sheetData></worksheet>`;
  const withSheets = (states: readonly string[]) =>
    buildWorkbook({
      workbook: `<workbook><sheets>${states.map((state, i) => `<sheet name="S${i + 1}" sheetId="${i + 1}" state="${state}" r:id="s${i + 1}"/>`).join('')}</sheets></workbook>`,
      replace: {
        'xl/_rels/workbook.xml.rels': {
          content: `<Relationships>${states.map((_, i) => `<Relationship Id="s${i + 1}" Type="${type}" Target="worksheets/sheet${i + 1}.xml"/>`).join('')}</Relationships>`,
        },
        'xl/worksheets/sheet1.xml': { content: sheetOf('S1') },
      },
      extra: states
        .slice(1)
        .map((_, i) => ({ name: `xl/worksheets/sheet${i + 2}.xml`, content: sheetOf(`S${i + 2}`) })),
    });

  it('are told by name, and read where somebody asks for one', async () => {
    const bytes = withSheets(['veryHidden', 'visible', 'hidden']);
    const { reading } = await readTable(bytesSource(bytes));
    expect(reading.sheet?.value.name).toBe('S2');
    expect(reading.doubts).toMatchObject([
      { code: 'workbook_hides_sheets', message: 'The workbook hides "S1", "S3"; nothing of that is read.' },
    ]);
    const [, read] = reading.doubts?.[0]?.answers ?? [];
    const asked = await readTable(bytesSource(bytes), { overrides: read?.overrides ?? {} });
    expect(asked.reading.doubts).toMatchObject([
      {
        message:
          'The sheet "S1", which is read, is hidden in the workbook. The workbook hides "S3"; nothing of that is read.',
      },
    ]);
  });

  it('are told where no other one is left to be read', async () => {
    expect((await readTable(bytesSource(withSheets(['hidden'])))).reading.doubts).toMatchObject([
      { code: 'workbook_hides_sheets', message: 'The sheet "S1", which is read, is hidden in the workbook.' },
    ]);
  });
});

describe('what a workbook holds and its cells do not show', () => {
  const names =
    '<row r="1"><c r="A1" t="str"><v>Name</v></c><c r="B1" t="str"><v>County</v></c><c r="C1" t="str"><v>Cost</v></c></row>';
  const row = (number: number, county: string, cost: string) =>
    `<row r="${number}"><c r="A${number}" t="str"><v>Name ${number}</v></c><c r="B${number}" t="str"><v>${county}</v></c>${cost}</row>`;
  const value = '<c r="C9"><v>5</v></c>';
  const workbook = (costs: readonly string[], merged = '') =>
    buildWorkbook({
      sheet: `<worksheet><sheetData>${names}${costs.map((cost, i) => row(i + 2, i === 0 ? 'Kings' : '', cost.replace('C9', `C${i + 2}`))).join('')}</sheetData>${merged}</worksheet>`,
    });
  const doubtsOf = async (bytes: Buffer, from?: Position) => lateDoubts(await readTable(bytesSource(bytes)), from);

  it('formulas without a result are asked about, also when reading goes on behind them', async () => {
    const bare = '<c r="C9"><f>SUM(A1:A2)</f></c>';
    const bytes = workbook([value, bare, '<c r="C9"><f t="shared" si="0"/><v></v></c>', value, value]);
    const told = [{ code: 'workbook_uncomputed', rowsAtStake: 2, lines: [3, 4], holds: true }];
    expect(await doubtsOf(bytes)).toMatchObject(told);
    expect(await doubtsOf(bytes, { offset: 5, line: 6, row: 5 })).toMatchObject(told);
  });

  it('formulas with a result are no doubt, an empty text included', async () => {
    const computed = '<c r="C9"><f>A1+A2</f><v>3</v></c>';
    const empty = '<c r="C9" t="str"><f>IF(A1=1,"x","")</f><v></v></c>';
    expect(await doubtsOf(workbook([computed, empty, value, value]))).toEqual([]);
  });

  it('cells merged over several rows are asked about: the rows below have lost the value', async () => {
    const merged = '<mergeCells count="1"><mergeCell ref="B2:B5"/></mergeCells>';
    expect(await doubtsOf(workbook([value, value, value, value, value], merged))).toMatchObject([
      { code: 'workbook_merges_rows', rowsAtStake: 3, lines: [2], holds: true },
    ]);
  });

  it('cells merged over columns, in the header or in a note below are no doubt', async () => {
    const merged =
      '<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="A3:C3"/><mergeCell ref="$A$8:$B$9"/></mergeCells>';
    const bytes = workbook([value, value, value, value], merged);
    expect(await doubtsOf(bytes)).toEqual([]);
  });
});

describe('text that was encoded twice', () => {
  const table = lines('Straße,Größe,Preis', 'Königsallee,groß,1.50', 'Marktplatz,„klein“,2.50');
  const again = (text: string) => iconv.decode(Buffer.from(text), 'windows-1252');

  it('is a doubt that shows what was meant', async () => {
    expect(await doubtsIn(again(table))).toMatchObject([
      { code: 'text_encoded_twice', message: expect.stringMatching(/"StraÃŸe".*"Straße"/) },
    ]);
  });

  it('is a doubt also where bytes became control characters', async () => {
    const text = Buffer.from(lines('Name,Cost', 'Ñandú,1', 'Íñigo,2')).toString('latin1');
    expect(await doubtsIn(text)).toMatchObject([
      { code: 'text_encoded_twice', message: expect.stringContaining('"Ñandú"') },
    ]);
  });

  it.each([
    ['correct text', table],
    [
      'one quotation of it among many texts',
      lines('Größe,Name', 'süß,Müller', 'groß,Jäger', 'schön,sagt „Ã¤“', 'früh,Böhm'),
    ],
    ['capitals with signs behind them', lines('Título,Não', 'SÃO PAULO,É «bom»', 'MAÇÃ,Â')],
    ['other alphabets', lines('名前,費用', '春のキャンペーン,1200', 'Лето,3')],
  ])('is no doubt in %s', async (_, text) => {
    expect((await doubtsIn(text)).map(({ code }) => code)).not.toContain('text_encoded_twice');
  });
});

describe('one file of two encodings', () => {
  const table = (from: number) =>
    Array.from({ length: 6 }, (_, i) => `2024-03-0${i + 1},Весенняя распродажа ${from + i},${i}`).join('\n');

  it.each([
    [
      'UTF-8 first',
      [Buffer.from(`Дата,Кампания,Показы\n${table(0)}\n`), iconv.encode(`${table(9)}\n`, 'windows-1251')],
    ],
    ['UTF-8 last', [iconv.encode(`Дата,Кампания,Показы\n${table(0)}\n`, 'windows-1251'), Buffer.from(`${table(9)}\n`)]],
  ])('is refused, and told as that: %s', async (_, parts) => {
    await expect(readTable(bytesSource(Buffer.concat(parts)))).rejects.toMatchObject({
      code: 'encoding_not_recognised',
      params: { reason: expect.stringContaining('of its lines are UTF-8') },
    });
  });

  it.each([
    ['gb18030', '春季促销北京,品牌推广上海'],
    ['big5', '春季促銷台北,品牌推廣高雄'],
    ['euc-kr', '봄세일검색광고,브랜드광고신규'],
    ['shift_jis', '春のセール東京,夏祭りの検索広告'],
    ['windows-1251', 'Весенняя распродажа,Летний поиск'],
  ])('is not what %s is taken for', async (encoding, names) => {
    const text = ['a,b', ...Array.from({ length: 200 }, (_, i) => `${names}${i % 7}`)].join('\n');
    const { reading } = await readTable(bytesSource(iconv.encode(text, encoding)));
    expect(reading.encoding.value.name).not.toBe('utf-8');
  });
});

describe('HZ', () => {
  const hz = (text: string) =>
    text.replace(
      /[^\p{ASCII}]+/gu,
      (han) => `~{${Array.from(iconv.encode(han, 'gb2312'), (byte) => String.fromCharCode(byte & 0x7f)).join('')}~}`,
    );

  it('is refused and its text shown', async () => {
    const text = hz(lines('日期,费用', '春季促销,1.50', '夏季搜索,2.50'));
    expect(text).toMatch(/^~\{[!-~]+~\},/);
    await expect(readTable(textSource(text))).rejects.toMatchObject({
      code: 'encoding_not_recognised',
      params: { reason: expect.stringContaining('HZ (it says "日期")') },
    });
  });

  it('is not taken for texts in braces', async () => {
    const text = lines('Name,Note', 'Aa,~{draft~}', 'Bb,~{x~}', 'Cc,~{to do~}');
    expect((await readTable(textSource(text))).reading.encoding.value.name).toBe('utf-8');
  });
});

describe('UTF-7', () => {
  const text = lines('Straße,Preis', 'Königsallee,1.50', '日本語,2.50');

  it.each([
    ['of several alphabets', text],
    ['with one letter in one word', lines('Name,Price', 'Müller,1.50', 'Smith,2.50')],
  ])('%s is refused and its text shown', async (_, meant) => {
    const bytes = iconv.encode(meant, 'utf-7');
    expect(bytes.toString('latin1')).toMatch(/\+[A-Za-z0-9+/]+-/);
    await expect(readTable(bytesSource(bytes))).rejects.toMatchObject({
      code: 'encoding_not_recognised',
      params: { reason: expect.stringContaining('UTF-7') },
    });
  });

  it('is read where somebody names the encoding of a file that only looks like it', async () => {
    const { reading } = await readTable(bytesSource(iconv.encode(text, 'utf-7')), { overrides: { encoding: 'utf-8' } });
    expect(reading.encoding.value.name).toBe('utf-8');
  });

  it.each([
    ['telephone numbers', lines('Name,Phone', 'Ann,+380-44-123', 'Bob,+491-555-12', 'Cy,+7912-1')],
    ['codes and sums', lines('Code,Sum', 'A+ABC-2024,1+2-3', 'B+XYZ-1,Q+AGE-4', 'C+PRO-x,a+bcd-e')],
    ['labels of audiences', lines('Audience,Cost', 'LAL+RTG-US,1', 'Men+Women-DE,2', 'Shoes+Bags-All,3')],
  ])('is not taken for %s', async (_, ascii) => {
    expect((await readTable(textSource(ascii))).reading.encoding.value.name).toBe('utf-8');
  });
});

describe('numbers that are not what they look like', () => {
  const rows = ['2024-01-01,A,1.25', '2024-01-02,B,2.5', '2024-01-03,C,4'];

  it.each([
    'Report (all amounts in thousands)',
    'Alle Beträge in Tausend EUR',
    'Montants en milliers',
    'Importi in migliaia',
    'Figures in millions',
  ])('hold the run where a title says in what they are told: %s', async (title) => {
    expect(await doubtsIn(lines(title, '', 'Day,Name,Cost', ...rows))).toMatchObject([
      { code: 'numbers_doubtful', holds: true, lines: [1], message: expect.stringContaining(title) },
    ]);
  });

  it.each(['Campaigns in Miles City', 'Report of the Million Dollar Club', 'Thousand Oaks, 2024'])(
    'are no doubt below another title: %s',
    async (title) => {
      expect(await doubtsIn(lines(title, '', 'Day,Name,Cost', ...rows))).toEqual([]);
    },
  );

  it.each(['100¹', '1²', '12½', '5③', '7₂'])('a raised or a fractional digit is none of the number: %s', (text) => {
    expect(parseNumber(text)).toMatchObject({ kind: 'fault', code: 'number_malformed' });
  });

  it('a row of units is a part of each name above it', async () => {
    for (const units of [',,(EUR),(count)', ',,EUR,#']) {
      const text = lines('Day,Campaign,Cost,Clicks', units, ...[1, 2, 3].map((i) => `2024-01-0${i},A,${i}.5,${i}`));
      const isKnownHeader = (name: string) => /^(?:day|campaign|cost|clicks)/i.test(name);
      const { reading } = await readTable(textSource(text), { isKnownHeader });
      expect(reading.header.value.names[2]).toMatch(/^Cost \(?EUR\)?$/);
    }
  });
});
