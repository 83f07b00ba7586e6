import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readXlsx as readWithHucre, writeXlsx } from 'hucre/xlsx';
import { describe, expect, it, vi } from 'vitest';
import { readTable, readXlsx } from '../../../test/support/built-readers.ts';
import { allRows, tiktokRows } from '../../../test/support/tables.ts';
import { buildWorkbook, stylesWith } from '../../../test/support/workbooks.ts';
import { bytesSource } from '../byte-source.ts';
import { defaultLimits } from '../limits.ts';

const read = async (bytes: Uint8Array, sheet: string | null = null) =>
  (await allRows(readXlsx(bytesSource(bytes), { sheet, limits: defaultLimits }))).map((row) => [
    row.line,
    ...row.cells,
  ]);

describe('cells', () => {
  it('reads every type of cell as it is displayed', async () => {
    const bytes = buildWorkbook({
      sharedStrings:
        '<sst><si><t>shared &amp; &#233;</t></si><si><r><t>rich </t></r><r><t xml:space="preserve">text</t></r><rPh><t>ignored</t></rPh></si></sst>',
      styles: stylesWith('yyyy-mm-dd', '$#,##0.00'),
      rows: `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><t>in, "line"_x000A_two</t></is></c></row>
        <row r="3"><c r="A3" s="1"><v>45296</v></c><c r="C3" s="2"><v>1234.5</v></c><c r="D3" t="b"><v>1</v></c><c r="E3" t="e"><v>#DIV/0!</v></c>
        <c r="F3" t="str"><f>A1&amp;"x"</f><v>formula</v></c><c r="G3"><v>120210000000000123</v></c><c r="H3" t="d"><v>2024-01-05T00:00:00</v></c></row>`,
    });
    expect(await read(bytes)).toEqual([
      [1, 'shared & é', 'rich text', 'in, "line"\ntwo'],
      [3, '2024-01-05', '', '$1,234.50', 'TRUE', '#DIV/0!', 'formula', '120210000000000123', '2024-01-05'],
    ]);
  });

  it('counts rows whose number no sheet can have', async () => {
    const numbers = ['1.5', '', 'x', '-3', '99999999999', '1e3'];
    const rows = numbers.map((number) => `<row r="${number}"><c><v>7</v></c></row>`).join('');
    expect((await read(buildWorkbook({ rows }))).map(([line]) => line)).toEqual([1, 2, 3, 4, 5, 1000]);
  });

  it('counts rows whose number stands on a row before: each is found again by its own', async () => {
    const rows = [2, 2, 1, 9, 9].map((number, i) => `<row r="${number}"><c><v>${i}</v></c></row>`).join('');
    expect(await read(buildWorkbook({ rows }))).toEqual([
      [2, '0'],
      [3, '1'],
      [4, '2'],
      [9, '3'],
      [10, '4'],
    ]);
  });

  it('numbers rows and cells that do not say where they stand', async () => {
    const bytes = buildWorkbook({ rows: '<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>' });
    expect(await read(bytes)).toEqual([
      [1, '1', '2'],
      [2, '3'],
    ]);
  });

  it('reads prefixed elements and single quotes', async () => {
    const bytes = buildWorkbook({
      sheet:
        "<x:worksheet><x:sheetData><x:row r='2'><x:c r='B2' t='str'><x:v>a</x:v></x:c></x:row></x:sheetData></x:worksheet>",
    });
    expect(await read(bytes)).toEqual([[2, '', 'a']]);
  });

  it('agrees with another reader on what a writer wrote', async () => {
    const rows = Array.from({ length: 60 }, (_, i) => [`näme ${i}`, i * 1.25, i % 2 === 0, `a,"b"\n${i}`, null, -i]);
    const bytes = await writeXlsx({ sheets: [{ name: 'S', rows }] });
    const theirs = (await readWithHucre(bytes)).sheets[0]?.rows ?? [];
    const text = (cell: unknown) =>
      cell === null ? '' : typeof cell === 'boolean' ? String(cell).toUpperCase() : String(cell);
    expect((await read(bytes)).map((row) => row.slice(1))).toEqual(theirs.map((row) => row.map(text)));
  });
});

describe('sheets', () => {
  const workbook = () =>
    writeXlsx({
      sheets: [
        { name: 'Notes', rows: [['hidden']], hidden: true },
        { name: 'First', rows: [['one']] },
        { name: 'Second', rows: [['two']] },
      ],
    });

  it('takes the first sheet that is not hidden, or the named one', async () => {
    const bytes = await workbook();
    expect(await read(bytes)).toEqual([[1, 'one']]);
    expect(await read(bytes, 'second')).toEqual([[1, 'two']]);
  });

  it('names the sheets there are when the wanted one is not', async () => {
    await expect(read(await workbook(), 'Third')).rejects.toMatchObject({
      code: 'sheet_not_found',
      params: { known: 'Notes, First, Second' },
    });
  });
});

describe('as a table', () => {
  it('reads a TikTok export: ids whole, masked and empty cells as they stand, the total set aside', async () => {
    const bytes = await writeXlsx({ sheets: [{ name: 'Sheet1', rows: tiktokRows.map((row) => [...row]) }] });
    const table = await readTable(bytesSource(bytes), { fileName: 'report.xlsx' });
    const rows = await allRows(table.batches());
    expect(table.reading.sheet?.value).toEqual({ name: 'Sheet1', names: ['Sheet1'] });
    expect(rows.map((row) => [row.line, row.kind])).toEqual([
      [1, 'header'],
      [2, 'data'],
      [3, 'data'],
      [4, 'total'],
    ]);
    expect(rows[1]?.cells.slice(1, 6)).toEqual(['1789000000000012345', '2024-01-05', '1200', '203834', '<5']);
  });

  it('goes on after any row', async () => {
    const bytes = await writeXlsx({
      sheets: [{ name: 'S', rows: Array.from({ length: 50 }, (_, i) => [`n${i}`, i]) }],
    });
    const from = { offset: 20, line: 21, row: 20 };
    const rows = await allRows(readXlsx(bytesSource(bytes), { sheet: null, limits: defaultLimits, from }));
    expect(rows.map((row) => [row.line, row.cells[0]])).toEqual(
      Array.from({ length: 30 }, (_, i) => [i + 21, `n${i + 20}`]),
    );
  });

  it('says where to go on, and leaves no file behind even while it reads', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-xlsx-'));
    vi.stubEnv('TMPDIR', folder);
    try {
      const bytes = await writeXlsx({ sheets: [{ name: 'S', rows: [['a'], ['b']] }] });
      const seen = [];
      for await (const batch of readXlsx(bytesSource(bytes), { sheet: null, limits: defaultLimits })) {
        seen.push([batch.next, await readdir(folder)]);
      }
      expect(seen.at(-1)).toEqual([{ offset: 2, line: 3, row: 2 }, []]);
      await expect(read(buildWorkbook({ sheet: '<broken' }))).rejects.toMatchObject({ code: 'spreadsheet_damaged' });
      expect(await readdir(folder)).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
      await rm(folder, { recursive: true });
    }
  });
});

describe('the parts of a workbook', () => {
  const rows = '<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2"><v>1</v></c></row>';
  const sharedStrings = '<sst><si><t>Name</t></si></sst>';

  it('are found whatever the letter case of their names', async () => {
    const bytes = buildWorkbook({
      rows,
      sharedStrings,
      replace: {
        'xl/sharedStrings.xml': { name: 'xl/SharedStrings.XML' },
        'xl/worksheets/sheet1.xml': { name: 'XL/Worksheets/Sheet1.xml' },
        'xl/workbook.xml': { name: 'xl/Workbook.xml' },
      },
    });
    expect(await read(bytes)).toEqual([
      [1, 'Name'],
      [2, '1'],
    ]);
  });

  it.each([
    ['the part with the texts is missing', { rows, replace: { 'xl/sharedStrings.xml': { name: 'xl/other.xml' } } }],
    ['a text is missing', { rows, sharedStrings: '<sst/>' }],
    ['a part is in it twice', { rows, sharedStrings, extra: [{ name: 'xl/SHAREDSTRINGS.xml', content: '<sst/>' }] }],
  ])('make an error and no empty cell when %s', async (_title, parts) => {
    await expect(read(buildWorkbook(parts))).rejects.toMatchObject({ code: 'spreadsheet_damaged' });
  });
});

describe('several sheets', () => {
  const cell = (place: string, text: string) => `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const table = `<worksheet><sheetData>${[1, 2, 3, 4]
    .map((row) => `<row r="${row}">${cell(`A${row}`, `a${row}`)}${cell(`B${row}`, `b${row}`)}</row>`)
    .join('')}</sheetData></worksheet>`;
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const workbookOf = (second: string) =>
    buildWorkbook({
      sheet: table,
      workbook:
        '<workbook><sheets><sheet name="North" sheetId="1" r:id="rId1"/><sheet name="South" sheetId="2" r:id="rId9"/></sheets></workbook>',
      replace: {
        'xl/_rels/workbook.xml.rels': {
          content: `<Relationships><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId9" Type="${office}/worksheet" Target="worksheets/sheet2.xml"/></Relationships>`,
        },
      },
      extra: [{ name: 'xl/worksheets/sheet2.xml', content: second }],
    });

  it('raise a doubt when another one holds a table as well, with a sheet per answer', async () => {
    const { reading } = await readTable(bytesSource(workbookOf(table)));
    expect(reading.doubts?.filter(({ code }) => code === 'sheet_doubtful')).toMatchObject([
      { answers: [{ overrides: { sheet: 'North' } }, { overrides: { sheet: 'South' } }] },
    ]);
  });

  it('raise none when the others are notes, or when the user has chosen', async () => {
    const note = `<worksheet><sheetData><row r="1">${cell('A1', 'Read me')}</row></sheetData></worksheet>`;
    const doubtsOf = async (bytes: Buffer, options = {}) =>
      ((await readTable(bytesSource(bytes), options)).reading.doubts ?? []).map(({ code }) => code);
    expect(await doubtsOf(workbookOf(note))).not.toContain('sheet_doubtful');
    expect(await doubtsOf(workbookOf(table), { overrides: { sheet: 'South' } })).not.toContain('sheet_doubtful');
  });
});
