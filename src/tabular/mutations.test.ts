// Valid files with random damage: whatever comes, reading ends with rows or with a catalogued error, soon, and the process lives.
import { describe, expect, it } from 'vitest';
import { delimited, googleReport, metaExport, mutate, seededRandom, tiktokRows } from '../../test/support/tables.ts';
import { buildWorkbook, stylesWith } from '../../test/support/workbooks.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { bytesSource } from './byte-source.ts';
import { readTable } from './read-table.ts';

const json = JSON.stringify({
  data: Array.from({ length: 20 }, (_, i) => ({ id: i, name: `näme ${i}`, nested: { list: [1, 'x', null] } })),
});
const workbook = buildWorkbook({
  styles: stylesWith('yyyy-mm-dd'),
  sharedStrings: '<sst><si><t>Name</t></si><si><t>Day</t></si></sst>',
  rows: '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>a</t></is></c><c r="B2" s="1"><v>45296</v></c></row>',
});

const texts: Readonly<Record<string, Buffer>> = {
  google: Buffer.from(googleReport),
  meta: Buffer.from(metaExport),
  tiktok: Buffer.from(delimited(tiktokRows, ';')),
  utf16: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(googleReport.replaceAll(',', '\t'), 'utf16le')]),
  json: Buffer.from(json),
  ndjson: Buffer.from('{"a":1,"b":"x"}\n{"a":2,"b":"é"}\n{"a":3,"b":null}\n'),
};

/** The number of rows, or the code of the error; anything else fails the test. */
async function outcome(bytes: Buffer): Promise<string> {
  try {
    const table = await readTable(bytesSource(bytes, 64), { batchBytes: 256 });
    let rows = 0;
    for await (const batch of table.batches()) {
      for (let row = 0; row < batch.rowCount; row++) {
        rows++;
        const text = batch.texts(row).join('');
        if (batch.fault(row) === null && text.includes('\0')) throw new Error('a NUL came through unmarked');
      }
    }
    return `${rows} rows`;
  } catch (error) {
    if (error instanceof MillraceError && error.kind === 'input') return error.code;
    throw error;
  }
}

describe('damaged files', () => {
  it.each(Object.keys(texts))('200 mutations of %s end in rows or in a catalogued error', async (name) => {
    const random = seededRandom(name.length * 7919);
    const outcomes = new Set<string>();
    for (let i = 0; i < 200; i++)
      outcomes.add((await outcome(mutate(texts[name] ?? Buffer.alloc(0), random))).replace(/^\d+/, 'n'));
    expect(outcomes).toContain('n rows');
  });

  it('8 mutations of a workbook, read in its process, end in rows or in a catalogued error', async () => {
    const random = seededRandom(4711);
    for (let i = 0; i < 8; i++) expect(await outcome(mutate(workbook, random))).toMatch(/rows$|^[a-z_]+$/);
  });
});
