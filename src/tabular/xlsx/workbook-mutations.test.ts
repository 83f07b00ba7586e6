// Damaged workbooks, read without the process around the reader: whatever comes, it is rows or a catalogued error.
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mutate, seededRandom } from '../../../test/support/tables.ts';
import { buildWorkbook, stylesWith } from '../../../test/support/workbooks.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { defaultLimits } from '../limits.ts';
import { readSharedStrings } from './shared-strings.ts';
import { sheetEvents } from './sheet-rows.ts';
import { readWorkbook } from './workbook-parts.ts';
import { ZipArchive } from './zip-archive.ts';

const row = (i: number) =>
  `<row r="${i}"><c r="A${i}" t="s"><v>${i % 3}</v></c><c r="B${i}" s="${i % 5}"><v>4529${i}.5</v></c><c r="C${i}" t="inlineStr"><is><t>x &amp; ${i}</t></is></c></row>`;
const parts = {
  sheet: `<worksheet><sheetData>${Array.from({ length: 10 }, (_, i) => row(i + 1)).join('')}</sheetData></worksheet>`,
  sharedStrings: '<sst><si><t>a</t></si><si><r><t>b</t></r></si><si><t>c_x000A_</t></si></sst>',
  styles: stylesWith('yyyy-mm-dd', '[$€-407] #,##0.00;[Red]-#,##0', '# ??/??', '0.00E+00'),
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-mutants-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function outcome(bytes: Buffer): Promise<string> {
  const path = join(folder, 'mutant.xlsx');
  await writeFile(path, bytes);
  const file = await open(path);
  try {
    const zip = await ZipArchive.open(file, defaultLimits.spreadsheet);
    const workbook = await readWorkbook(zip);
    const strings = await readSharedStrings(zip, workbook.sharedStringsPath, 1_000_000);
    const sheet = workbook.sheets[0];
    if (sheet === undefined) return 'no sheet';
    const events = sheetEvents({ workbook, strings, limits: defaultLimits }, () => undefined);
    for await (const chunk of zip.read(sheet.path)) events.write(chunk);
    events.end();
    return 'rows';
  } catch (error) {
    if (error instanceof MillraceError && error.kind === 'input') return error.code;
    throw error;
  } finally {
    await file.close();
  }
}

describe('damaged workbooks', () => {
  it('300 mutations of the archive end in rows or in a catalogued error', async () => {
    const random = seededRandom(1);
    const whole = Buffer.from(
      await writeXlsx({
        sheets: [{ name: 'S', rows: Array.from({ length: 20 }, (_, i) => [`näme ${i}`, i * 1.5, i % 2 === 0]) }],
      }),
    );
    expect(await outcome(whole)).toBe('rows');
    const outcomes = new Set<string>();
    for (let i = 0; i < 300; i++) outcomes.add(await outcome(mutate(whole, random)));
    expect(outcomes).toContain('spreadsheet_damaged');
  });

  it.each(['sheet', 'sharedStrings', 'styles'] as const)(
    '200 mutations of its %s, packed again, do as well',
    async (part) => {
      const random = seededRandom(part.length);
      const outcomes = new Set<string>();
      for (let i = 0; i < 200; i++) {
        const damaged = mutate(Buffer.from(parts[part]), random);
        outcomes.add(await outcome(buildWorkbook({ ...parts, [part]: damaged.toString('latin1') })));
      }
      expect(outcomes).toContain('rows');
    },
  );
});
