// Valid files of every format with random damage. A mutant depends on the seed and its number alone, so that one can be made again.
import { mutate, seededRandom } from '../support/tables.ts';
import { buildWorkbook, stylesWith } from '../support/workbooks.ts';

export const formats = ['csv', 'tsv', 'json', 'ndjson', 'xlsx'] as const;
export type Format = (typeof formats)[number];
export type Intake = 'ads' | 'judgments';

export interface Mutant {
  readonly number: number;
  readonly format: Format;
  readonly intake: Intake;
  readonly bytes: Buffer;
}

type Table = readonly (readonly string[])[];

const days = Array.from({ length: 20 }, (_, i) => `2024-01-${String(i + 1).padStart(2, '0')}`);
const tables: Readonly<Record<Intake, Table>> = {
  ads: [
    ['Day', 'Campaign name', 'Campaign ID', 'Amount spent (USD)', 'Impressions', 'Clicks (all)'],
    ...days.map((day, i) => [
      day,
      `Frühling, "${i % 3}"`,
      `12021000000000${100 + i}`,
      `${i}.25`,
      `${i * 1_000}`,
      `${i}`,
    ]),
  ],
  judgments: [
    ['Case Number', 'Plaintiff', 'Defendant', 'Judgment Amount', 'Filing Date', 'County', 'Email', 'Phone', 'Address'],
    ...days.map((day, i) => [
      `CV-${i}`,
      `شركة ${i % 4}\nand Co`,
      'Dan',
      `$${i},250.00`,
      day,
      'Kings',
      `p${i}@example.test`,
      `212 555 0${100 + i}`,
      '1 Main St',
    ]),
  ],
};

export function formatOf(number: number): Format {
  return formats[number % formats.length] as Format;
}

/** Number `number` of the seed: formats and intakes take turns. */
export function mutantOf(seed: number, number: number): Mutant {
  const random = seededRandom(Math.imul(seed, 0x9e3779b1) + number);
  const format = formatOf(number);
  const intake: Intake = Math.floor(number / formats.length) % 2 === 0 ? 'ads' : 'judgments';
  const table = tables[intake];
  const bytes = format === 'xlsx' ? damagedWorkbook(table, random) : mutate(textOf(table, format), random);
  return { number, format, intake, bytes };
}

/** The same without damage. */
export function intact(format: Format, intake: Intake): Buffer {
  return format === 'xlsx' ? buildWorkbook(partsOf(tables[intake])) : textOf(tables[intake], format);
}

function textOf(table: Table, format: Exclude<Format, 'xlsx'>): Buffer {
  const [header = [], ...rows] = table;
  const records = () => rows.map((row) => Object.fromEntries(row.map((cell, i) => [header[i] ?? '', cell])));
  if (format === 'json') return Buffer.from(JSON.stringify({ data: records() }));
  if (format === 'ndjson')
    return Buffer.from(
      records()
        .map((record) => `${JSON.stringify(record)}\n`)
        .join(''),
    );
  const delimiter = format === 'csv' ? ',' : '\t';
  const cell = (text: string) => (/[",\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return Buffer.from(table.map((row) => `${row.map(cell).join(delimiter)}\n`).join(''));
}

/** Half of them damaged as an archive, half in one of their parts and packed again: else few mutants would get past the checksums. */
function damagedWorkbook(table: Table, random: () => number): Buffer {
  const parts = partsOf(table);
  if (random() < 0.5) return mutate(buildWorkbook(parts), random);
  const part = (['sheet', 'sharedStrings', 'styles', 'workbook'] as const)[Math.floor(random() * 4)] ?? 'sheet';
  return buildWorkbook({ ...parts, [part]: mutate(Buffer.from(parts[part]), random).toString('latin1') });
}

function partsOf(table: Table) {
  const texts = [...new Set(table.flat())];
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const rows = table.map((row, r) => {
    const cells = row.map(
      (text, c) => `<c r="${String.fromCharCode(65 + c)}${r + 1}" t="s"><v>${texts.indexOf(text)}</v></c>`,
    );
    return `<row r="${r + 1}">${cells.join('')}</row>`;
  });
  return {
    sheet: `<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`,
    sharedStrings: `<sst>${texts.map((text) => `<si><t>${escaped(text)}</t></si>`).join('')}</sst>`,
    styles: stylesWith('yyyy-mm-dd', '#,##0.00'),
    workbook: '<workbook><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>',
  };
}
