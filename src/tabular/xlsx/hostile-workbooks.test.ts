// Files that are made to break a reader. Each must end in its own error within seconds, and the process that tests must live on.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { constants, crc32, createDeflateRaw } from 'node:zlib';
import { writeXlsx } from 'hucre/xlsx';
import { afterAll, describe, expect, it } from 'vitest';
import { openSpreadsheet, readTable, readXlsx } from '../../../test/support/built-readers.ts';
import { allRows, textSource } from '../../../test/support/tables.ts';
import { buildWorkbook, buildZip } from '../../../test/support/workbooks.ts';
import { bytesSource } from '../byte-source.ts';
import { type TableLimits, withLimits } from '../limits.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'millrace-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const limits = withLimits();
const read = (bytes: Uint8Array, changed: TableLimits = limits) =>
  allRows(readXlsx(bytesSource(bytes), { sheet: null, limits: changed }));
const code = (expected: string, reason?: string) =>
  expect.objectContaining({
    code: expected,
    ...(reason === undefined ? {} : { message: expect.stringContaining(reason) }),
  });

/** Deflated repetition of a piece of text, made without holding it unpacked. */
async function repeated(head: string, piece: string, times: number): Promise<{ bytes: Buffer; crc: number }> {
  const deflate = createDeflateRaw({ level: constants.Z_BEST_COMPRESSION });
  const packed: Buffer[] = [];
  deflate.on('data', (chunk: Buffer) => packed.push(chunk));
  const done = new Promise((resolve) => deflate.on('end', resolve));
  let crc = crc32(head);
  deflate.write(head);
  const block = Buffer.from(piece.repeat(Math.min(times, 1_000)));
  for (let i = 0; i < times / 1_000; i++) {
    crc = crc32(block, crc);
    if (!deflate.write(block)) await new Promise((resolve) => deflate.once('drain', resolve));
  }
  deflate.end();
  await done;
  return { bytes: Buffer.concat(packed), crc };
}

describe('damaged workbooks', () => {
  it('says that a workbook that was cut off is damaged', async () => {
    const whole = await writeXlsx({
      sheets: [{ name: 'S', rows: Array.from({ length: 500 }, (_, i) => [i, `text ${i}`]) }],
    });
    for (const share of [0.3, 0.6, 0.95]) {
      await expect(read(whole.subarray(0, Math.floor(whole.length * share)))).rejects.toEqual(
        code('spreadsheet_damaged'),
      );
    }
  });

  it.each([
    ['a part that is missing', buildZip([{ name: '_rels/.rels', content: '<Relationships/>' }]), 'format_unsupported'],
    ['an archive that is no workbook', buildZip([{ name: 'holiday.txt', content: 'x' }]), 'format_unsupported'],
    ['a wrong checksum', buildWorkbook({ replace: { 'xl/worksheets/sheet1.xml': { crc: 1 } } }), 'spreadsheet_damaged'],
    [
      'an unknown packing',
      buildWorkbook({ replace: { 'xl/worksheets/sheet1.xml': { method: 99 } } }),
      'spreadsheet_damaged',
    ],
    ['an encrypted part', buildWorkbook({ replace: { 'xl/workbook.xml': { flags: 1 } } }), 'spreadsheet_encrypted'],
    ['no sheet', buildWorkbook({ workbook: '<workbook><sheets/></workbook>' }), 'spreadsheet_damaged'],
    ['a binary workbook', buildWorkbook({ extra: [{ name: 'xl/workbook.bin', content: 'x' }] }), 'spreadsheet_xlsb'],
    ['broken XML', buildWorkbook({ sheet: '<worksheet><sheetData><row r="1"><c r="A1"' }), 'spreadsheet_damaged'],
    [
      'bytes that are no UTF-8',
      buildWorkbook({ replace: { 'xl/worksheets/sheet1.xml': { content: Buffer.from([0x3c, 0x61, 0xff]) } } }),
      'spreadsheet_damaged',
    ],
  ])('%s', async (_title, bytes, expected) => {
    await expect(read(bytes)).rejects.toEqual(code(expected));
  });

  it.each([
    [
      'an old workbook',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2_000)]),
      'spreadsheet_xls',
    ],
    [
      'a protected workbook',
      Buffer.concat([
        Buffer.from('d0cf11e0a1b11ae1', 'hex'),
        Buffer.alloc(504),
        Buffer.from('EncryptedPackage', 'utf16le'),
      ]),
      'spreadsheet_encrypted',
    ],
  ])('%s is refused at the intake', async (_title, bytes, expected) => {
    await expect(readTable(bytesSource(bytes))).rejects.toEqual(code(expected));
  });

  it('finds the mark of a protected workbook wherever its directory lies', async () => {
    const sectors = 300;
    const bytes = Buffer.alloc(512 * (sectors + 2));
    Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes);
    bytes.writeUInt16LE(9, 30);
    bytes.writeUInt32LE(sectors, 48);
    bytes.write('EncryptedPackage', 512 * (sectors + 1), 'utf16le');
    await expect(readTable(bytesSource(bytes))).rejects.toEqual(code('spreadsheet_encrypted'));
  });
});

describe('bombs', () => {
  it('stops unpacking at the ratio, whatever the directory claims', async () => {
    const packed = await repeated('<worksheet><sheetData>', ' '.repeat(1_000), 30_000);
    const bytes = buildWorkbook({ replace: { 'xl/worksheets/sheet1.xml': { content: '', packed, claimedSize: 100 } } });
    expect(bytes.length).toBeLessThan(400_000);
    await expect(read(bytes)).rejects.toEqual(code('spreadsheet_too_large', 'times its size'));
  });

  it('stops at the bytes allowed in all', async () => {
    const packed = await repeated('<worksheet><sheetData>', '<row><c><v>1</v></c></row>\n', 200_000);
    const bytes = buildWorkbook({ replace: { 'xl/worksheets/sheet1.xml': { content: '', packed } } });
    await expect(read(bytes, withLimits({ spreadsheet: { maxInflatedBytes: 1_000_000 } }))).rejects.toEqual(
      code('spreadsheet_too_large', 'when unpacked'),
    );
  });

  it('refuses a flood of shared texts', async () => {
    const packed = await repeated(
      '<sst>',
      `<si><t>${createHash('sha256').update('x').digest('hex')}</t></si>`,
      100_000,
    );
    const bytes = buildWorkbook({ replace: { 'xl/sharedStrings.xml': { content: '', packed } } });
    await expect(read(bytes, withLimits({ spreadsheet: { maxSharedStringBytes: 1_000_000 } }))).rejects.toEqual(
      code('spreadsheet_too_large', 'texts'),
    );
  });

  it('refuses one endless shared text', async () => {
    const packed = await repeated('<sst><si><t>', 'x'.repeat(100), 100_000);
    const bytes = buildWorkbook({ replace: { 'xl/sharedStrings.xml': { content: '', packed } } });
    await expect(
      read(bytes, withLimits({ spreadsheet: { maxSharedStringBytes: 1_000_000, maxInflateRatio: 2_000 } })),
    ).rejects.toEqual(code('spreadsheet_too_large'));
  });

  it('refuses entities, nested or not', async () => {
    const laughs =
      '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><worksheet><sheetData><row><c t="str"><v>&b;</v></c></row></sheetData></worksheet>';
    await expect(read(buildWorkbook({ sheet: laughs }))).rejects.toEqual(code('spreadsheet_damaged', 'document type'));
    await expect(read(buildWorkbook({ rows: '<row><c t="str"><v>&b;</v></c></row>' }))).rejects.toEqual(
      code('spreadsheet_damaged', 'entity'),
    );
  });

  it('refuses parts that overlap', async () => {
    const bytes = buildWorkbook({});
    const entry = bytes.lastIndexOf('xl/styles.xml') - 46;
    bytes.writeUInt32LE(0, entry + 42);
    await expect(read(bytes)).rejects.toEqual(code('spreadsheet_damaged', 'overlap'));
  });

  it('refuses too many parts', async () => {
    const extra = Array.from({ length: 50 }, (_, i) => ({ name: `x/${i}`, content: '' }));
    await expect(read(buildWorkbook({ extra }), withLimits({ spreadsheet: { maxEntries: 40 } }))).rejects.toEqual(
      code('spreadsheet_too_large', 'parts'),
    );
  });

  it('does not care for declared ranges', async () => {
    const sheet =
      '<worksheet><dimension ref="A1:XFD1048576"/><sheetData><row r="1048576"><c r="B1048576"><v>7</v></c></row></sheetData></worksheet>';
    expect((await read(buildWorkbook({ sheet }))).map((row) => [row.line, ...row.cells])).toEqual([[1048576, '', '7']]);
  });

  it('refuses rows that are nothing but gaps', async () => {
    const rows = Array.from({ length: 200 }, (_, i) => `<row r="${i + 1}"><c r="XFD${i + 1}"><v>1</v></c></row>`).join(
      '',
    );
    await expect(
      read(buildWorkbook({ rows }), withLimits({ spreadsheet: { maxGapCells: 1_000_000 } })),
    ).rejects.toEqual(code('spreadsheet_too_large', 'gaps'));
  });

  it('refuses columns beyond the limit', async () => {
    await expect(read(buildWorkbook({ rows: '<row r="1"><c r="ZZZZ1"><v>1</v></c></row>' }))).rejects.toEqual(
      code('too_many_columns'),
    );
  });
});

describe('the process that reads', () => {
  it('is killed when it makes no progress', async () => {
    const slow = withLimits({ spreadsheet: { stallMs: 1 } });
    await expect(read(buildWorkbook({}), slow)).rejects.toEqual(code('spreadsheet_too_slow', 'no progress'));
  });

  it('is killed when its rows only drip: the time it takes in all is limited, too', async () => {
    // A row in every few thousand elements that mean nothing: each comes well before anybody would call it stalled.
    const nothing = '<x/>'.repeat(1_000);
    const dripping = await repeated('<worksheet><sheetData>', `<row><c><v>1</v></c></row>${nothing}`, 60_000);
    const bytes = buildWorkbook({ replace: { 'xl/worksheets/sheet1.xml': { content: '', packed: dripping } } });
    const file = path.join(folder, 'dripping.xlsx');
    writeFileSync(file, bytes);
    const read = async (seconds: number) => {
      const limits = withLimits({
        spreadsheet: { maxInflateRatio: 2_000, stallMs: 300_000, maxWaitMs: seconds * 1_000 },
      });
      let pieces = 0;
      const reading = (async () => {
        const opened = await openSpreadsheet({ path: file, sheet: null, fromRow: 1, maxRows: null, limits });
        for await (const piece of opened.chunks) pieces += piece.length > 0 ? 1 : 0;
      })();
      await expect(reading).rejects.toEqual(code('spreadsheet_too_slow', `it took over ${seconds} s`));
      return pieces;
    };
    // On a slow machine the first row comes later; whatever the time is, it ends a reading that goes on and on.
    let seconds = 2;
    while ((await read(seconds)) < 2) seconds *= 2;
  });

  it('is killed when it takes more memory than it may', async () => {
    const packed = await repeated('<worksheet><sheetData>', '<row><c><v>1</v></c></row>\n', 300_000);
    const bytes = buildWorkbook({ replace: { 'xl/worksheets/sheet1.xml': { content: '', packed } } });
    const small = withLimits({ spreadsheet: { maxResidentMb: 20 } });
    await expect(read(bytes, small)).rejects.toEqual(code('spreadsheet_too_large', 'memory'));
  });

  it('ends with the reader when rows are no longer wanted', async () => {
    const bytes = buildWorkbook({ rows: '<row><c><v>1</v></c></row>'.repeat(50_000) });
    let first: string | undefined;
    for await (const batch of readXlsx(bytesSource(bytes), { sheet: null, limits })) {
      first = batch.text(0, 0);
      break;
    }
    expect(first).toBe('1');
  });
});

describe('files that are something else', () => {
  it.each([
    ['a zip named .csv', buildZip([{ name: 'a.txt', content: 'x' }]), 'data.csv', 'content_mismatch'],
    ['a workbook named .csv', buildWorkbook({}), 'data.csv', 'content_mismatch'],
    ['a zip', buildZip([{ name: 'a.txt', content: 'x' }]), undefined, 'format_unsupported'],
    ['binary named .csv', Buffer.from(Array.from({ length: 512 }, (_, i) => i % 32)), 'data.csv', 'content_mismatch'],
    ['gzip that was cut off', Buffer.from([0x1f, 0x8b, 8, 0, 0]), undefined, 'format_unsupported'],
  ])('%s', async (_title, bytes, fileName, expected) => {
    await expect(readTable(bytesSource(bytes), fileName === undefined ? {} : { fileName })).rejects.toEqual(
      code(expected),
    );
  });

  it('text named .xlsx', async () => {
    await expect(readTable(textSource('a,b\n1,2\n'), { fileName: 'a.xlsx' })).rejects.toEqual(code('content_mismatch'));
  });
});
