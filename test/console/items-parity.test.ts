// What a person sees in the grid is what the exports hold: the cells as the browser draws them beside the cells of the CSV and of the workbook, for values that programs like to change.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { streamXlsxRows } from 'hucre/xlsx';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inertText } from '../../console/src/ui/inert-text.ts';
import { unescapeFormula } from '../../src/tabular/csv/formula-escape.ts';
import { shoot } from './browser.ts';
import { useConsole } from './use-console.ts';

const stage = useConsole({ POLL_INTERVAL_MS: '100', ALLOW_PRIVATE_WEBHOOKS: 'true' });

/** Of the file: each becomes a row, beside a name by which the endpoint knows it. */
const cells = [
  '12345678901234567890',
  '00420',
  '1.10',
  '-0.50',
  '1e5',
  '2026-02-28',
  '2026-02-30',
  '=1+1',
  "'=already",
  '+49 30 1234',
  '@SUM(A1)',
  '',
  '  between blanks  ',
  'Größe „é“ 中文 🎉',
  'a line\nand another',
  'a "quote", a comma; a semicolon',
  'turned \u202egnp.exe',
];
/** Of the endpoint's answer, one for each row. */
const answers: readonly unknown[] = [
  '12345678901234567890',
  '007',
  '1.5',
  0.1,
  1e21,
  1e-7,
  -12.5,
  '123456789012.3456',
  0,
  '=1+1',
  '-1+1',
  null,
  ' 5 ',
  true,
  { a: [1, '2'] },
  'two\nlines',
  '12a',
];
const days = ['2026-02-28', '2026-02-30', '2026-02-28T17:30:05Z', '2026-02-28T17:30:05', '28.02.2026', ''];

const endpoint = createServer((request, response) => {
  const row = Number(request.url?.slice(1));
  const answer = { id: `R${row}`, amount: answers[row], day: days[row % days.length] };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});
let origin = '';
beforeAll(async () => {
  endpoint.listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  origin = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
});
afterAll(() => void endpoint.close());

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const file = `Name,Value\n${cells.map((cell, row) => `${row},${quoted(cell)}`).join('\n')}\n`;

it('the cells that the browser draws are those of the CSV and of the workbook, whatever stands in them', async () => {
  const person = await stage.enter();
  const { page } = person;
  const jobId = await submit(page);
  await page.goto(`/r/${jobId}/items`);
  await page
    .getByRole('group', { name: 'Rows by status' })
    .getByRole('button', { name: new RegExp(`^${cells.length} .*DONE`) })
    .waitFor();
  const drawn = await drawnCells(page);
  await shoot(page, 'items-8-parity');
  expect(drawn).toHaveLength(cells.length + 1);
  expect(drawn[0]).toEqual(['Row', 'Status', 'Reason', 'Name', 'Value', 'id', 'Amount', 'day']);
  expect(drawn.slice(1).map((row) => row[4])).toEqual(cells.map(inertText));

  const csv = csvCells((await download(page, jobId, 'csv')).toString('utf8'));
  expect(csv.map((row) => row.map(inertText))).toEqual(drawn);
  expect(csv.slice(1).map((row) => row[4])).toEqual(cells);

  const book = await bookCells(await download(page, jobId, 'xlsx'));
  expect(book.map((row, at) => row.map((value, column) => asDrawn(value, drawn[at]?.[column] ?? '')))).toEqual(drawn);
  // Typed where every digit is kept, and only there.
  const typed = book.slice(1).map((row) => typeof row[6] === 'number');
  expect(typed.filter((isNumber) => isNumber)).toHaveLength(6);
  expect(book.slice(1).filter((row) => row[7] instanceof Date).length).toBe(
    cells.filter((_, row) => [0, 2, 3].includes(row % days.length)).length,
  );
  expect(book.slice(1).every((row) => typeof row[4] === 'string' || row[4] === null)).toBe(true);
  expect(person.faults).toEqual([]);
});

async function submit(page: Page): Promise<string> {
  const columns = [
    { name: 'id', path: 'id' },
    { name: 'amount', title: 'Amount', type: 'number', path: 'amount' },
    { name: 'day', type: 'date', path: 'day' },
  ];
  const options = JSON.stringify({ url: `${origin}/{{Name}}`, columns });
  return page.evaluate(
    async (given) => {
      const form = new FormData();
      form.set('processor', 'http');
      form.set('on_doubt', 'proceed');
      form.set('options', given.options);
      form.set('file', new Blob([given.file]), 'awkward.csv');
      const answer = await fetch('/api/jobs', { method: 'POST', body: form });
      if (answer.status !== 202) throw new Error(await answer.text());
      return ((await answer.json()) as { jobId: string }).jobId;
    },
    { options, file },
  );
}

/** What is used of the browser's own types, which the types of these tests do not know. */
interface DrawnCell {
  readonly textContent: string | null;
  cloneNode(isDeep: true): DrawnCell;
  querySelectorAll(selector: string): Iterable<{ remove(): void }>;
}
interface DrawnRow {
  readonly children: Iterable<DrawnCell>;
}

/** Header and rows, as they stand in the table. Every row is within sight or close to it. */
function drawnCells(page: Page): Promise<string[][]> {
  return page.getByRole('table', { name: 'Items' }).evaluate((table) => {
    const texts = (row: DrawnRow) =>
      [...row.children].map((cell) => {
        const said = cell.cloneNode(true);
        // A mark beside the word.
        for (const mark of said.querySelectorAll('[aria-hidden=true]')) mark.remove();
        return said.textContent ?? '';
      });
    const header = table.querySelector('thead tr');
    const rows = [...table.querySelectorAll('tbody tr[aria-rowindex]')].map((row) => {
      const [first = '', ...others] = texts(row);
      return [first.trim(), ...others];
    });
    return [header === null ? [] : texts(header), ...rows];
  });
}

async function download(page: Page, jobId: string, format: 'csv' | 'xlsx'): Promise<Buffer> {
  const base64 = await page.evaluate(
    async (given) => {
      const made = await fetch(`/api/jobs/${given.jobId}/export?format=${given.format}`, { method: 'POST' });
      const { url } = (await made.json()) as { url: string };
      const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
    },
    { jobId, format },
  );
  return Buffer.from(base64, 'base64');
}

/** As a program reads it, without the apostrophes before what it would run. */
function csvCells(text: string): string[][] {
  const rows: string[][] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n)/g;
  let row: string[] = [];
  for (const [, inQuotes, plain, end] of text.replace(/^\uFEFF/, '').matchAll(pattern)) {
    row.push(unescapeFormula(inQuotes?.replaceAll('""', '"') ?? plain ?? ''));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

async function bookCells(bytes: Buffer): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const { values } of streamXlsxRows(bytes)) rows.push([...values]);
  const width = rows[0]?.length ?? 0;
  return rows.map((row) => Array.from({ length: width }, (_, column) => row[column] ?? null));
}

/** A number or date of the workbook is what is drawn when they are the same number or moment; a text, when it is the same text. */
function asDrawn(value: unknown, drawn: string): string {
  if (typeof value === 'number') return Number(drawn) === value ? drawn : String(value);
  if (!(value instanceof Date)) return inertText(String(value ?? ''));
  const moment = drawn.includes('T') && !drawn.endsWith('Z') ? `${drawn}Z` : drawn;
  return Date.parse(moment) === value.getTime() ? drawn : value.toISOString();
}
