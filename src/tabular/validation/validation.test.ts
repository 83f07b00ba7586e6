import { describe, expect, it } from 'vitest';
import { textSource } from '../../../test/support/tables.ts';
import { FieldCatalogue } from '../mapping/fields.ts';
import { suggestMapping } from '../mapping/suggest-mapping.ts';
import { readTable } from '../read-table.ts';
import type { ReadingOverrides } from '../reading.ts';
import { applyFix, suggestFix } from './fixes.ts';
import { causeOf, shapeKey } from './row-issue.ts';
import { RowParser } from './row-parser.ts';
import { type Rule, RuleSet } from './rules.ts';

const catalogue = new FieldCatalogue([
  { name: 'campaign', title: 'Campaign', kind: 'text', isRequired: true, synonyms: [] },
  { name: 'campaign_id', title: 'Campaign ID', kind: 'id', synonyms: [] },
  { name: 'day', title: 'Day', kind: 'date', isRequired: true, synonyms: [] },
  { name: 'impressions', title: 'Impressions', kind: 'integer', synonyms: [] },
  { name: 'cost', title: 'Cost', kind: 'money', synonyms: ['Amount spent'] },
]);

async function parse(text: string, overrides: ReadingOverrides = {}) {
  const table = await readTable(textSource(text), { overrides });
  const parser = new RowParser(table.reading, suggestMapping(table.reading.columns, catalogue, []).columns, catalogue);
  const rows = [];
  for await (const batch of table.batches()) for (const row of batch.dataRows()) rows.push(parser.parse(batch, row));
  return rows;
}

const header = 'Campaign,Campaign ID,Day,Impressions,Amount spent (USD)\n';
const good = 'A,120210000000000123,13/01/2024,"1,200",3.50\nB,120210000000000124,14/01/2024,7,"1,000.25"\n';

describe('rows to records', () => {
  it('reads numbers in the style of the file, days in the order of the column, ids as text', async () => {
    const [first, second] = await parse(header + good);
    expect(first).toEqual({
      values: { campaign: 'A', campaign_id: '120210000000000123', day: '2024-01-13', impressions: '1200', cost: '3.5' },
      issues: [],
      currency: 'USD',
    });
    expect(second?.values.cost).toBe('1000.25');
  });

  it('reads no count and no amount from a percentage', async () => {
    const [, , third] = await parse(`${header}${good}C,120210000000000125,15/01/2024,5%,12%\n`);
    expect(third?.values).toMatchObject({ impressions: null, cost: null });
    expect(third?.issues).toMatchObject([{ code: 'number_malformed' }, { code: 'number_malformed' }]);
  });

  it('takes the currency of the cell before that of the header, which says which dollar is meant', async () => {
    const rows = await parse(`${header}${good}C,3,15/01/2024,1,€5.00\nD,4,16/01/2024,1,$5.00\n`);
    expect(rows.slice(2).map(({ currency }) => currency)).toEqual(['EUR', 'USD']);
  });

  it('keeps markers and masked counts as unknown, with a warning', async () => {
    const rows = await parse(`${header}${good}C,--,15/01/2024,<5, --\n`);
    expect(rows[2]?.values).toMatchObject({ campaign_id: null, impressions: null, cost: null });
    expect(rows[2]?.issues.map((issue) => [issue.column, issue.code, issue.severity])).toEqual([
      ['impressions', 'value_masked', 'warning'],
      ['cost', 'value_absent', 'warning'],
    ]);
  });

  it('takes as no value what the user says stands for it, and nothing else', async () => {
    const rows = await parse(`${header}${good}C,3,15/01/2024,nil return,--\n`, { emptyMarkers: ['Nil return'] });
    expect(rows[2]?.issues.map((issue) => [issue.column, issue.code, issue.severity])).toEqual([
      ['impressions', 'value_absent', 'warning'],
      ['cost', 'number_malformed', 'error'],
    ]);
  });

  it('reports every bad cell of a row, with line, offset, column and value', async () => {
    const rows = await parse(`${header}${good},1.2E+17,31/02/2024,1.5,abc\n`);
    expect(rows[2]?.issues.map((issue) => [issue.line, issue.column, issue.code, issue.value])).toEqual([
      [4, 'campaign_id', 'id_rounded', '1.2E+17'],
      [4, 'day', 'date_out_of_range', '31/02/2024'],
      [4, 'impressions', 'number_not_whole', '1.5'],
      [4, 'cost', 'number_malformed', 'abc'],
      [4, 'campaign', 'value_required', null],
    ]);
    expect(rows[2]?.issues[0]?.offset).toBe(Buffer.byteLength(header + good));
  });

  it('reports a row that cannot be split as one issue with its raw text', async () => {
    const rows = await parse(`${header}${good}C,"1"2,x,y,z\n`);
    expect(rows[2]).toMatchObject({
      values: {},
      issues: [{ code: 'row_quote_misplaced', column: null, value: 'C,"1"2,x,y,z' }],
    });
  });

  it('refuses days whose order is not known and reads them once the user says', async () => {
    const text = `${header}A,1,05/01/2024,1,1\nB,2,06/03/2024,1,1\n`;
    expect((await parse(text))[0]?.issues[0]?.code).toBe('date_ambiguous');
    expect((await parse(text, { dateOrders: { Day: 'dmy' } }))[0]?.values.day).toBe('2024-01-05');
    expect((await parse(text, { dateOrders: { '*': 'mdy' } }))[0]?.values.day).toBe('2024-05-01');
  });

  it('reads ="…" as the text that a spreadsheet would show, in every kind of column', async () => {
    const text = `${header}="A ""B"" C",="0012",="13/01/2024",="1",="2.5"\n`;
    const [row] = await parse(text);
    expect(row?.issues).toEqual([]);
    expect(row?.values).toEqual({
      campaign: 'A "B" C',
      campaign_id: '0012',
      day: '2024-01-13',
      impressions: '1',
      cost: '2.5',
    });
  });

  it('undoes the escapes of our own exports when the reading says so', async () => {
    const text = `${header}"'=evil()",1,13/01/2024,1,1\n`;
    expect((await parse(text))[0]?.values.campaign).toBe("'=evil()");
    expect((await parse(text, { unescapeFormulas: true }))[0]?.values.campaign).toBe('=evil()');
  });
});

describe('rules', () => {
  const rules: Rule[] = [
    {
      code: 'cost_negative',
      column: 'cost',
      test: (value) => !value.startsWith('-'),
      message: 'Cost {value} is below zero.',
      severity: 'error',
    },
    {
      code: 'no_clicks',
      column: 'clicks',
      test: (value, row) => value !== '' || row.cost === null,
      message: 'There is cost without clicks.',
      severity: 'warning',
      onEmpty: true,
    },
  ];

  it('say everything that is wrong with a row', () => {
    expect(new RuleSet(rules).check({ cost: '-5', clicks: null }, { line: 7, offset: 90 })).toEqual([
      {
        line: 7,
        offset: 90,
        column: 'cost',
        code: 'cost_negative',
        value: '-5',
        message: 'Cost -5 is below zero.',
        severity: 'error',
        cause: 'cost_negative|cost|-9',
      },
      {
        line: 7,
        offset: 90,
        column: 'clicks',
        code: 'no_clicks',
        value: null,
        message: 'There is cost without clicks.',
        severity: 'warning',
        cause: 'no_clicks|clicks|',
      },
    ]);
  });

  it('are not asked about a field without a value unless they want to be', () => {
    expect(new RuleSet(rules).check({ cost: null, clicks: null }, { line: 1, offset: 0 })).toEqual([]);
  });
});

describe('causes', () => {
  it.each([
    ['13/02/2024', '99/99/9999'],
    ['€12.50', '€99.99'],
    ['USD 5', 'AAA 9'],
    ['hello world', 'a'],
    ['120210000000000123', '9+'],
  ])('%j has the shape %j', (value, shape) => {
    expect(shapeKey(value)).toBe(shape);
  });

  it('join values of one shape and part columns and codes', () => {
    expect(causeOf('date_malformed', 'day', '13/02/2024')).toBe(causeOf('date_malformed', 'day', '28/01/2023'));
    expect(causeOf('date_malformed', 'day', '13/02/2024')).not.toBe(causeOf('date_malformed', 'day', 'soon'));
    expect(causeOf('date_malformed', 'day', 'x')).not.toBe(causeOf('date_malformed', 'end', 'x'));
  });
});

describe('fixes', () => {
  it.each([
    ['date_out_of_range', ['13/02/2024', '14/02/2024'], 'looks like DD/MM/YYYY', '13/02/2024', '2024-02-13'],
    ['date_out_of_range', ['02/13/2024'], 'looks like MM/DD/YYYY', '02/13/2024', '2024-02-13'],
    ['date_malformed', ['45296'], 'looks like a spreadsheet day number', '45296', '2024-01-05'],
    ['number_malformed', ['1,23', '4,50'], 'looks like a decimal comma', '1,23', '1.23'],
    ['number_malformed', ['1.50', '2.75'], 'looks like a decimal point', '1.50', '1.5'],
    [
      'number_malformed',
      ['12.50 credits', '3 credits'],
      'remove the currency sign and other text',
      '12.50 credits',
      '12.5',
    ],
    ['number_not_whole', ['12.5'], 'drop the decimals', '12.5', '12'],
  ] as const)('%s %j: %s', (code, values, label, value, fixed) => {
    const suggestion = suggestFix(code, values);
    expect(suggestion?.label).toBe(label);
    expect(suggestion && applyFix(suggestion.fix, value)).toBe(fixed);
  });

  it('are written so that the file reads them: with its decimal sign', () => {
    const suggestion = suggestFix('number_malformed', ['2.75']);
    expect(suggestion && applyFix(suggestion.fix, '2.75', { decimal: ',', group: '.' })).toBe('2,75');
  });

  it('read what they keep of a cell in the style of its file: 1.234 clicks are a thousand where a comma is decimal', () => {
    const comma = { decimal: ',', group: '.' } as const;
    const digits = suggestFix('number_malformed', ['1.234 clicks'], comma);
    expect(digits && applyFix(digits.fix, '1.234 clicks', comma)).toBe('1234');
    const whole = suggestFix('number_not_whole', ['1.234,5'], comma);
    expect(whole && applyFix(whole.fix, '1.234,5', comma)).toBe('1234');
  });

  it('are not suggested when they would not fix every value', () => {
    expect(suggestFix('date_out_of_range', ['13/02/2024', 'soon'])).toBeNull();
    expect(suggestFix('number_malformed', ['1,23', 'abc'])).toBeNull();
  });

  it('are not suggested when two would fix the values differently', () => {
    expect(suggestFix('date_ambiguous', ['05/01/2024', '06/01/2024'])).toBeNull();
    expect(suggestFix('date_ambiguous', ['05/01/2024', '13/01/2024'])?.label).toBe('looks like DD/MM/YYYY');
  });

  it('leave a value alone that they cannot fix', () => {
    expect(applyFix({ kind: 'date_order', order: 'dmy' }, 'soon')).toBe('soon');
    expect(applyFix({ kind: 'replace', from: 'a', to: 'b' }, 'c')).toBe('c');
  });

  it('replace and trim what the user asks for', () => {
    expect(applyFix({ kind: 'replace', from: 'a', to: 'b' }, 'a')).toBe('b');
    expect(applyFix({ kind: 'trim' }, '  a   b ')).toBe('a b');
  });

  it('are plain JSON', () => {
    const suggestion = suggestFix('date_out_of_range', ['13/02/2024']);
    expect(JSON.parse(JSON.stringify(suggestion))).toEqual(suggestion);
  });
});
