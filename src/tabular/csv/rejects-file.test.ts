import { describe, expect, it } from 'vitest';
import { allRows, textSource } from '../../../test/support/tables.ts';
import { FieldCatalogue } from '../mapping/fields.ts';
import { headerFingerprint } from '../mapping/fingerprint.ts';
import { suggestMapping } from '../mapping/suggest-mapping.ts';
import { readTable } from '../read-table.ts';
import { RowParser } from '../validation/row-parser.ts';
import { isRejectsFile, originalLineColumn, rejectsFileHeader } from './rejects-file.ts';
import { csvRow } from './write-csv.ts';

const names = ['Campaign', 'Day', 'Cost'];
const refused = [
  {
    cells: ['=evil()', '31/02/2024', '5.25'],
    line: 812,
    code: 'date_out_of_range',
    message: 'There is no such day: "31/02/2024".',
  },
  { cells: ['-minus', '13/02/2024', 'abc'], line: 900, code: 'number_malformed', message: 'Not a number.' },
  { cells: ['short'], line: 901, code: 'row_too_short', message: 'Too short.' },
];
const rows = refused.map(({ cells, line, code, message }) =>
  csvRow([...names.map((_, column) => cells[column] ?? ''), String(line), code, message]),
);
const file = rejectsFileHeader(names) + rows.join('');

describe('the file of refused rows', () => {
  it('has the original cells, then line, code and message', async () => {
    const rows = await allRows((await readTable(textSource(file))).batches());
    expect(rows[0]?.cells).toEqual([...names, 'millrace_line', 'millrace_code', 'millrace_message']);
    expect(rows[3]?.cells).toEqual(['short', '', '', '901', 'row_too_short', 'Too short.']);
  });

  it('is recognised when it comes back: same fingerprint, our columns not offered, escapes undone', async () => {
    const table = await readTable(textSource(file));
    const catalogue = new FieldCatalogue([{ name: 'campaign', title: 'Campaign', kind: 'text', synonyms: [] }]);
    const { columns } = suggestMapping(table.reading.columns, catalogue, []);
    expect(headerFingerprint(table.reading.header.value.names)).toBe(headerFingerprint(names));
    expect(columns.slice(3).map((column) => [column.field, column.offers.length])).toEqual([
      [null, 0],
      [null, 0],
      [null, 0],
    ]);
    const parser = new RowParser(table.reading, columns, catalogue);
    const campaigns = [];
    for await (const batch of table.batches())
      for (const row of batch.dataRows()) campaigns.push(parser.parse(batch, row).values.campaign);
    expect(campaigns).toEqual(['=evil()', '-minus', 'short']);
  });

  it('says which column holds the original line', () => {
    expect(originalLineColumn([...names, 'millrace_line', 'millrace_code', 'Millrace_Message'])).toBe(3);
    expect(originalLineColumn(names)).toBeNull();
    expect(isRejectsFile([...names, 'millrace_line'])).toBe(false);
  });
});
