import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import {
  allRows,
  delimited,
  googleReport,
  metaExport,
  seededRandom,
  textSource,
  tiktokRows,
} from '../../test/support/tables.ts';
import { bytesSource } from './byte-source.ts';
import { openTable, readTable } from './read-table.ts';
import type { Reading } from './reading.ts';
import { sniffTable } from './sniff-table.ts';

describe('exports as they come', () => {
  it('reads a Google report: titles, header on line 3, thousands, percentages, empty markers', async () => {
    const { reading } = await readTable(textSource(googleReport), { fileName: 'Campaign report.csv' });
    expect(reading.preamble.map((row) => row.text)).toEqual([
      'Campaign report',
      'January 17, 2024 - February 15, 2024',
    ]);
    expect(reading.header.value.lines).toEqual([3]);
    expect(reading.columns.map((column) => column.kind)).toEqual([
      'text',
      'text',
      'date',
      'text',
      'integer',
      'decimal',
      'percent',
    ]);
    expect(reading.columns[4]?.emptyMarkers).toContain(' --');
    expect(reading.numbers.value.decimal).toBe('.');
  });

  it('reads "CSV (Excel)": UTF-16LE with tabs and a byte order mark', async () => {
    const text =
      'Campaign report\r\nCampaign\tDay\tCost\r\nÉté\t2024-01-05\t1,234.50\r\nTotal: Campaigns\t --\t1,234.50\r\n';
    const table = await readTable(
      bytesSource(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])),
    );
    expect(table.reading.encoding).toMatchObject({ value: { name: 'utf-16le', bomBytes: 2 }, confidence: 'exact' });
    expect(table.reading.dialect?.value).toMatchObject({ delimiter: '\t', lineEnd: 'crlf' });
    const rows = await allRows(table.batches());
    expect(rows.map((row) => row.kind)).toEqual(['preamble', 'header', 'data', 'total']);
    expect(rows[2]?.cells).toEqual(['Été', '2024-01-05', '1,234.50']);
  });

  it('reads a Meta export: byte order mark, comma in a quoted header, long ids as text', async () => {
    const table = await readTable(textSource(metaExport));
    expect(table.reading.header.value.names).toContain('CPM (cost per 1,000 impressions) (USD)');
    expect(table.reading.columns[3]).toMatchObject({
      kind: 'id',
      examples: ['120210000000000123', '120210000000000124'],
    });
    expect((await allRows(table.batches())).map((row) => row.cells[2])).toEqual([
      'Campaign name',
      '',
      'Spring – EU',
      'Autumn "sale"',
    ]);
  });

  it('reads a French export: Windows-1252, semicolons, decimal commas, day first', async () => {
    const text = 'Campagne;Jour;Coût\r\nÉté;05/01/2024;1 234,56 €\r\nForêt;31/01/2024;3,50 €\r\nTotal;;1 238,06 €\r\n';
    const { reading } = await readTable(bytesSource(iconv.encode(text, 'windows-1252')));
    expect(reading.encoding.value.name).toBe('windows-1252');
    expect(reading.dialect?.value.delimiter).toBe(';');
    expect(reading.numbers.value.decimal).toBe(',');
    expect(reading.columns[1]?.dateOrder).toMatchObject({ value: 'dmy', confidence: 'exact' });
  });

  it('reads a TikTok export as CSV', async () => {
    const { reading } = await readTable(textSource(delimited(tiktokRows)));
    expect(reading.columns.map((column) => column.kind).slice(0, 6)).toEqual([
      'text',
      'id',
      'date',
      'integer',
      'integer',
      'integer',
    ]);
  });

  it('finds the evidence for the order of dates far down in a file that is sorted by date', async () => {
    const days = Array.from({ length: 28 }, (_, i) => `${String(i + 1).padStart(2, '0')}/02/2024`);
    const rows = days.flatMap((day) => Array.from({ length: 1_500 }, (_, i) => `Campaign ${i},${day},${i}.50`));
    const { reading } = await readTable(textSource(`Campaign,Day,Cost\n${rows.join('\n')}\n`));
    expect(reading.columns[1]?.dateOrder).toMatchObject({ value: 'dmy', confidence: 'exact', isAmbiguous: false });
  });
});

describe('the reading', () => {
  it('is plain JSON and reads the file again exactly as before', async () => {
    const source = textSource(googleReport);
    const table = await readTable(source);
    const stored = JSON.parse(JSON.stringify(table.reading)) as Reading;
    expect(stored).toEqual(table.reading);
    expect(await allRows(openTable(source, stored).batches())).toEqual(await allRows(table.batches()));
  });

  it('warns of what a user should look at', async () => {
    const { warnings } = await sniffTable(
      textSource('Day,Day,Id,Cost\n05/01/2024,x,1.2E+17,"1,234"\n06/03/2024,y,1.3E+17,"2,345"\n'),
    );
    expect(warnings.map((warning) => [warning.code, warning.column])).toEqual([
      ['date_order_ambiguous', 'Day'],
      ['ids_as_numbers', 'Id'],
      ['duplicate_column', 'Day'],
    ]);
  });

  it('finds the header by names the caller knows', async () => {
    const text = 'All,the,words\nKampanje,Dato,Kost\nOslo,Bergen,Moss\n';
    expect((await sniffTable(textSource(text))).header.value.lines).toEqual([1]);
    const isKnownHeader = (name: string) => ['Kampanje', 'Dato', 'Kost'].includes(name);
    expect((await sniffTable(textSource(text), { isKnownHeader })).header).toMatchObject({
      confidence: 'exact',
      value: { lines: [2] },
    });
  });
});

describe('overrides', () => {
  const text = 'x;y\nName;Cost\nA;1,5\n';

  it('replace single decisions; what depends on them is decided again', async () => {
    const reading = await sniffTable(textSource(text), { overrides: { headerLines: [2], decimal: '.' } });
    expect(reading.header).toMatchObject({
      reason: 'chosen by the user',
      value: { lines: [2], names: ['Name', 'Cost'] },
    });
    expect(reading.preamble).toEqual([{ line: 1, text: 'x · y' }]);
    expect(reading.numbers.value.decimal).toBe('.');
  });

  it('set encoding, delimiter and quote', async () => {
    const bytes = iconv.encode('a|b\n"é|1\n', 'windows-1252');
    const overrides = { encoding: 'windows-1252', delimiter: '|', quote: null };
    const table = await readTable(bytesSource(bytes), { overrides });
    expect((await allRows(table.batches())).map((row) => row.cells)).toEqual([
      ['a', 'b'],
      ['"é', '1'],
    ]);
  });

  it.each([
    ['a delimiter of nine characters', { delimiter: '|-|-|-|-|' }, 'reading_invalid'],
    ['a line break as delimiter', { delimiter: '\n' }, 'reading_invalid'],
    ['the same delimiter and quote', { delimiter: '"', quote: '"' }, 'reading_invalid'],
    ['a header line that does not exist', { headerLines: [99] }, 'reading_invalid'],
    ['six header rows', { headerLines: [1, 2, 3, 4, 5, 6] }, 'reading_invalid'],
    ['an encoding that does not exist', { encoding: 'klingon-8' }, 'encoding_unknown'],
  ])('refuse %s', async (_title, overrides, code) => {
    await expect(sniffTable(textSource(text), { overrides })).rejects.toMatchObject({ code });
  });
});

describe('refused files', () => {
  it.each([
    ['nothing', '', 'empty_file'],
    ['blank lines', '\n\n  \n', 'empty_file'],
    ['a web page', '<!doctype html><p>Sign in</p>', 'format_unsupported'],
    ['a PDF', '%PDF-1.7', 'format_unsupported'],
  ])('%s', async (_title, text, code) => {
    await expect(sniffTable(textSource(text))).rejects.toMatchObject({ code });
  });

  it.each([
    ['one line of 50 MB', Buffer.alloc(50 * 1024 * 1024, 'x'), 'line_too_long'],
    [
      'one line of 50 MB below a header',
      Buffer.concat([Buffer.from('a,b\n1,2\n'), Buffer.alloc(50 * 1024 * 1024, 'x')]),
      'line_too_long',
    ],
    [
      'one line of 50 MB in UTF-16',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('x'.repeat(25_000_000), 'utf16le')]),
      'line_too_long',
    ],
    ['a million columns', Buffer.from(`${'a,'.repeat(1_000_000)}\n1,2\n`), 'too_many_columns'],
  ])('%s', async (_title, bytes, code) => {
    const reading = async () => allRows((await readTable(bytesSource(bytes))).batches());
    await expect(reading()).rejects.toMatchObject({ code });
  });

  it('reads a header row that is longer than a sample', async () => {
    const names = Array.from({ length: 9_000 }, (_, i) => `A column with a rather long name ${i}`);
    const { reading } = await readTable(textSource(`${names.join(',')}\n${names.map((_, i) => i).join(',')}\n`));
    expect(reading.header.value.names).toHaveLength(9_000);
  });

  it('reads a file that is nothing but a header, without data', async () => {
    const table = await readTable(textSource('Campaign,Day,Cost\n'));
    expect((await allRows(table.batches())).map((row) => row.kind)).toEqual(['header']);
  });
});

describe('every row is accounted for', () => {
  it.each([21, 22, 23])('and reads alike in one go and from every checkpoint (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const lines = ['Report', 'Campaign,Campaign ID,Day,Cost'];
    for (let i = 0; i < 400; i++) {
      const dice = random();
      if (dice < 0.03) lines.push('');
      else if (dice < 0.06) lines.push(`Total: part ${i},,,5.00`);
      else if (dice < 0.09) lines.push(`broken "${i}`);
      else if (dice < 0.12) lines.push(`"open ${i},1,2024-01-05,1`);
      else if (dice < 0.15) lines.push(`"two\nlines ${i}",120210000000000${100 + i},2024-01-05,${i}.5`);
      else lines.push(`näme ${i},120210000000000${100 + i},2024-01-${10 + (i % 20)},${i}.25`);
    }
    const table = await readTable(textSource(`${lines.join('\n')}\n`, 333), { batchBytes: 700 });
    const whole = await allRows(table.batches());
    for await (const batch of table.batches()) {
      expect(await allRows(table.batches(batch.next))).toEqual(whole.slice(batch.next.row));
    }
    expect(new Set(whole.map((row) => row.kind))).toEqual(new Set(['preamble', 'header', 'data', 'blank', 'total']));
  });
});
