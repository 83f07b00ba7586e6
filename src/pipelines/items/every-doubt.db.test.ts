// Every code of the contract's doubts is raised by a file that somebody uploads, and each of its answers ends the run: a doubt that
// nothing raises, or whose answer leads nowhere, is a promise that nobody keeps.
import { readFileSync } from 'node:fs';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endOfRun } from '../../../test/support/engine.ts';
import { useItems } from '../../../test/support/items.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { buildWorkbook } from '../../../test/support/workbooks.ts';
import { type DoubtCode, doubtMeanings } from '../../contract/doubts.ts';
import { defineProcessor, notFound } from './processors/processor.ts';

/** Takes whatever columns a file has. */
const anything = defineProcessor({
  name: 'anything',
  version: 1,
  title: 'Anything',
  options: z.strictObject({}),
  output: z.object({}),
  columns: [],
  strategies: ['none'],
  process: async () => notFound({ isFinal: true }),
});
const bench = useItems({ processors: [anything] });

const towns = ['Ulm', 'Bonn', 'Graz', 'Linz', 'Bern', 'Chur', 'Jena', 'Gera', 'Hof', 'Celle'];
const lines = (...rows: readonly string[]) => `${rows.join('\n')}\n`;
const titles = ['sku,title', 'A-1,Größe', 'A-2,Kännchen', 'A-3,Größe'];

interface Example {
  readonly file: string | Buffer;
  readonly name?: string;
  /** Nothing is read before somebody answers; the others are told on the receipt. */
  readonly isAsked?: true;
}

const sheetRow = (number: number, cells: string, attributes = '') =>
  `<row r="${number}"${attributes}><c r="A${number}" t="str"><v>Name ${number}</v></c>${cells}</row>`;
const cell = (place: string, value: string | number) => `<c r="${place}" t="str"><v>${value}</v></c>`;
const names = `<row r="1">${cell('A1', 'Name')}${cell('B1', 'County')}${cell('C1', 'Cost')}</row>`;
const rowsOf = (cost: (row: number) => string, attributes: (row: number) => string = () => '') =>
  [2, 3, 4, 5, 6]
    .map((row) => sheetRow(row, `${row === 2 ? cell('B2', 'Kings') : ''}${cost(row)}`, attributes(row)))
    .join('');
const five = (row: number) => `<c r="C${row}"><v>5</v></c>`;
const sheetOf = (rows: string, merged = '') => `<worksheet><sheetData>${names}${rows}</sheetData>${merged}</worksheet>`;
const twoSheets = buildWorkbook({
  sheet: sheetOf(rowsOf(five)),
  workbook:
    '<workbook><sheets><sheet name="South" sheetId="1" r:id="rId1"/><sheet name="North" sheetId="2" r:id="rId9"/></sheets></workbook>',
  extra: [{ name: 'xl/worksheets/sheet2.xml', content: sheetOf(rowsOf(five)) }],
  replace: {
    'xl/_rels/workbook.xml.rels': {
      content: ['rId1', 'rId9']
        .map(
          (id, i) =>
            `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`,
        )
        .join('')
        .replace(/^/, '<Relationships>')
        .concat('</Relationships>'),
    },
  },
});

const examples: Readonly<Partial<Record<DoubtCode, Example>>> = {
  rows_set_aside: {
    file: lines('id,name,v', '1,a,5', '# 9,x,6', '2,b,6', '3,c,7'),
    isAsked: true,
  },
  other_table: {
    file: lines(
      'sku,title,price',
      ...towns.map((town, i) => `A-${i},${town},${i}.5`),
      '',
      'shop,owner,opened',
      'X,Ann,2020',
      'Y,Bob,2021',
      'Z,Cy,2022',
    ),
    isAsked: true,
  },
  header_doubtful: {
    file: lines(
      'Groups,Health,Culture',
      'Aa,Ca,Ea',
      'Age,<18,18-24',
      ...towns.map((town, i) => `${town},${i},${i * 7}`),
    ),
    isAsked: true,
  },
  header_does_not_fit: {
    file: lines(
      'SKU;Title;Brand',
      ...Array.from({ length: 1_200 }, (_, i) => `S-${i};Kettle;Acme`),
      '',
      'SKU;Land;Town',
      'X-1;DE;Aa',
      'X-2;DE;Bb',
      'X-3;DE;Cc',
    ),
    isAsked: true,
  },
  no_header: {
    file: lines(
      'Rome,Italy,FCO',
      'Oslo,Norway,OSL',
      'Lima,Peru,LIM',
      'Milan,Italy,MXP',
      'Bergen,Norway,BGO',
      'Turin,Italy,TRN',
    ),
  },
  unnamed_columns: {
    file: lines('name;2019;2020', ...towns.map((town, i) => `${town};${i + 10};${i * 3};x${i}`)),
    isAsked: true,
  },
  rows_padded: { file: lines('town,area,notes', ...towns.map((town, i) => `${town},${i}`)) },
  delimiter_doubtful: { file: lines('a;b|c', '1;2|3', '4;5|6', '7;8|9') },
  encoding_doubtful: { file: iconv.encode(lines('sku,title', 'A-1,Чай', 'A-2,Дом'), 'windows-1251') },
  text_encoded_twice: { file: iconv.decode(Buffer.from(lines(...titles)), 'windows-1252') },
  numbers_doubtful: {
    file: lines('day,name,cost,views', '2024-03-01,Alpha,125.000,1.000', '2024-03-02,Beta,72.500,500'),
    isAsked: true,
  },
  sheet_doubtful: { file: twoSheets, name: 'book.xlsx', isAsked: true },
  workbook_hides_rows: {
    file: buildWorkbook({ sheet: sheetOf(rowsOf(five, (row) => (row === 3 ? ' hidden="1"' : ''))) }),
    name: 'book.xlsx',
  },
  workbook_uncomputed: {
    file: buildWorkbook({
      sheet: sheetOf(rowsOf((row) => (row === 4 ? '<c r="C4"><f>SUM(C2:C3)</f></c>' : five(row)))),
    }),
    name: 'book.xlsx',
    isAsked: true,
  },
  workbook_merges_rows: {
    file: buildWorkbook({
      sheet: sheetOf(rowsOf(five), '<mergeCells count="1"><mergeCell ref="B2:B5"/></mergeCells>'),
    }),
    name: 'book.xlsx',
    isAsked: true,
  },
  workbook_hides_columns: {
    file: buildWorkbook({
      sheet: sheetOf(rowsOf(five)).replace('<sheetData>', '<cols><col min="3" max="3" hidden="1"/></cols><sheetData>'),
    }),
    name: 'book.xlsx',
  },
  workbook_hides_sheets: {
    file: buildWorkbook({
      sheet: sheetOf(rowsOf(five)),
      workbook: '<workbook><sheets><sheet name="Data" sheetId="1" state="hidden" r:id="rId1"/></sheets></workbook>',
    }),
    name: 'book.xlsx',
  },
  delimiters_mixed: {
    file: lines('SKU;Title,Brand,Price', ...towns.map((town, i) => `D-${i};${town},Acme,${i}`)),
    isAsked: true,
  },
  totals_among_rows: {
    file: lines('SKU;Price', 'T-1;10,5', 'T-2;21,25', 'Summe Nord;31,75', 'T-3;44', 'T-4;57', 'Summe Süd;101'),
    isAsked: true,
  },
  groups_named_once: {
    file: lines('Brand;SKU', 'Acme;C-1', ';C-2', ';C-3', 'Bolt;C-4', ';C-5'),
    isAsked: true,
  },
};

/** Raised by what a pipeline knows of its own: the test beside it that uploads such a file. */
const elsewhere: Readonly<Partial<Record<DoubtCode, string>>> = {
  measure_unmapped: 'src/pipelines/ads/http/ads-doubts.db.test.ts',
  measure_twice: 'src/pipelines/ads/http/ads-doubts.db.test.ts',
  measure_missing: 'src/pipelines/ads/http/ads-absent-measures.db.test.ts',
  total_differs: 'src/pipelines/ads/http/ads-doubts.db.test.ts',
  column_twice: 'src/pipelines/judgments/doubts.db.test.ts',
  copies_not_recognised: 'src/pipelines/items/copies.db.test.ts',
};

const showOf = async (runId: string) => (await bench.call('runs.show', runId, { params: { run_id: runId } })).body;

async function upload({ file, name = 'rows.csv' }: Example, fields: Record<string, string> = {}): Promise<string> {
  const { status, body } = await bench.upload('/api/jobs', file, name, {
    fields: { processor: 'anything', ...fields },
  });
  expect([status, body]).toEqual([202, expect.anything()]);
  return body.jobId;
}

async function ask(example: Example) {
  const runId = await upload(example);
  const { question } = await waitFor(
    async () => {
      const run = await showOf(runId);
      if (run.phase === 'done' || run.phase === 'failed')
        throw new Error(`it did not ask: ${JSON.stringify(run.receipt)}`);
      return run.question !== null && run;
    },
    { what: 'the question' },
  );
  return { runId, question };
}

const answer = (questionId: string, choice: string) =>
  bench.call('questions.answer', '', { params: { question_id: questionId }, body: { choice } });
const entries = Object.entries(examples) as [DoubtCode, Example][];

describe('a file that is read with', () => {
  it.each(entries)('%s says so on its receipt, also when the sender wants no question', async (code, example) => {
    const runId = await upload(example, { on_doubt: 'proceed' });
    await endOfRun(bench.engine, bench.admin.tenantId, runId);
    const { receipt } = await showOf(runId);
    expect(receipt.doubts).toHaveProperty([code]);
    expect(receipt.in_doubt.map((doubt: { code: string }) => doubt.code)).toContain(code);
  });

  it.each(entries.filter(([, { isAsked }]) => isAsked))(
    '%s is asked about, and whichever answer is given, the run ends as it says',
    async (code, example) => {
      const first = await ask(example);
      expect(first.question.doubts.map((doubt: { code: string }) => doubt.code)).toContain(code);
      const choices: string[] = first.question.choices.map(({ choice }: { choice: string }) => choice);
      expect(choices).toEqual(['as_decided', ...choices.slice(1, -1), 'refuse']);
      for (const [at, choice] of choices.entries()) {
        const { runId, question } = at === 0 ? first : await ask(example);
        expect((await answer(question.question_id, choice)).status).toBe(200);
        // Another reading may be in doubt for another reason; then that is asked, and as it was decided ends it.
        const run = await waitFor(async () => {
          const shown = await showOf(runId);
          if (shown.question !== null && shown.question.question_id !== question.question_id)
            await answer(shown.question.question_id, 'as_decided');
          return (shown.phase === 'done' || shown.phase === 'failed') && shown;
        });
        expect([choice, run.phase, run.error?.code]).toEqual(
          choice === 'refuse' ? [choice, 'failed', 'reading_doubtful'] : [choice, 'done', undefined],
        );
      }
    },
  );

  it.each(entries.filter(([, { isAsked }]) => isAsked))(
    '%s fails at once when the sender wants it so',
    async (_, example) => {
      const runId = await upload(example, { on_doubt: 'fail' });
      expect(await endOfRun(bench.engine, bench.admin.tenantId, runId)).toMatchObject({
        phase: 'failed',
        error_code: 'reading_doubtful',
      });
    },
  );
});

describe('the doubts of the contract', () => {
  it('are all raised by an upload of some test', () => {
    const raised = [...Object.keys(examples), ...Object.keys(elsewhere)];
    expect(Object.keys(doubtMeanings).sort()).toEqual([...new Set(raised)].sort());
    for (const [code, file] of Object.entries(elsewhere))
      expect([code, readFileSync(file, 'utf8').includes(code)]).toEqual([code, true]);
  });
});
