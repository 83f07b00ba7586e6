import { gzipSync } from 'node:zlib';
import { writeXlsx } from 'hucre/xlsx';
import { describe, expect, it } from 'vitest';
import { metaExport } from '../../../test/support/tables.ts';
import { buildZip } from '../../../test/support/workbooks.ts';
import { type ContentKind, checkExtension, sniffContent } from './sniff-content.ts';

const compound = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

/** A zip archive's first bytes with entries of the given names. */
function zipHead(...names: string[]): Buffer {
  return Buffer.concat(
    names.map((name) => {
      const header = Buffer.alloc(30);
      header.write('PK\x03\x04', 'latin1');
      header.writeUInt16LE(name.length, 26);
      return Buffer.concat([header, Buffer.from(name)]);
    }),
  );
}

const cases: readonly [ContentKind, string, Uint8Array][] = [
  ['empty', 'nothing', Buffer.alloc(0)],
  ['empty', 'blank lines', Buffer.from('\n \r\n')],
  ['text', 'CSV', Buffer.from('a,b\n1,2\n')],
  ['text', 'CSV with a byte order mark', Buffer.from(metaExport)],
  ['text', 'UTF-16 with tabs', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('a\tb\r\n', 'utf16le')])],
  ['text', 'UTF-16 without a mark', Buffer.from('a,b\n1,2\n', 'utf16le')],
  ['text', 'Shift-JIS', Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x2c, 0x31, 0x0a])],
  ['text', 'one NUL among many characters', Buffer.from(`a,b\n${'1,2\n'.repeat(100)}\0,3\n`)],
  ['json', 'a list', Buffer.from(' [{"a":1}]')],
  ['json', 'an object', Buffer.from('{"data":[{"a":1}]}')],
  ['json', 'an object over many lines', Buffer.from('{\n  "data": []\n}')],
  ['ndjson', 'an object per line', Buffer.from('{"a":1}\n{"a":2}\n')],
  ['ndjson', 'an object per line with a broken one', Buffer.from('{"a":1}\ngarbage\n{"a":2}\n')],
  ['json', 'an object with text behind it', Buffer.from('{"a":[{"b":1}]}\ngarbage\n')],
  ['html', 'a page', Buffer.from('<!DOCTYPE html><html></html>')],
  ['html', 'a table for Excel', Buffer.from('<table><tr><td>1</td></tr></table>')],
  ['xml', 'XML', Buffer.from('<?xml version="1.0"?><rows/>')],
  ['xlsx', 'a workbook', zipHead('[Content_Types].xml', 'xl/workbook.xml')],
  ['xlsb', 'a binary workbook', zipHead('[Content_Types].xml', 'xl/workbook.bin')],
  ['docx', 'a document', zipHead('[Content_Types].xml', 'word/document.xml')],
  ['zip', 'an archive', zipHead('holiday.jpg')],
  ['xls', 'an old workbook', Buffer.concat([compound, Buffer.alloc(512)])],
  [
    'encrypted_office',
    'a protected workbook',
    Buffer.concat([compound, Buffer.alloc(504), Buffer.from('EncryptedPackage', 'utf16le')]),
  ],
  ['gzip', 'gzip', gzipSync('a,b\n')],
  ['pdf', 'a PDF', Buffer.from('%PDF-1.7\n')],
  ['pdf', 'a PDF behind a line of CSV', Buffer.from('a,b\n%PDF-1.4\n')],
  ['image', 'a PNG', Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])],
  ['text', 'a note with a stray NUL', Buffer.from('Bring the ke\0ys.')],
  ['binary', 'many zero bytes', Buffer.from('key\0\0\0\0value\0\0\0')],
  ['binary', 'an executable', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1])],
  ['binary', 'control characters', Buffer.from([1, 2, 3, 4, 5, 6, 7, 8])],
];

describe('what a file is by its bytes', () => {
  it.each(cases)('%s: %s', (kind, _title, bytes) => {
    expect(sniffContent(bytes)).toBe(kind);
  });

  it('knows a real workbook', async () => {
    expect(sniffContent(await writeXlsx({ sheets: [{ name: 'A', rows: [['x']] }] }))).toBe('xlsx');
  });
});

describe('an Office file that is cut off', () => {
  const noise = Array.from({ length: 40 }, (_, i) => `<Default Extension="x${i * 7919}"/>`).join('');
  const office = (type: string, folder: string) =>
    buildZip([
      {
        name: '[Content_Types].xml',
        content: `<Types><Override ContentType="application/${type}.main+xml"/>${noise}</Types>`,
      },
      { name: '_rels/.rels', content: '<Relationships/>' },
      { name: `${folder}/main.xml`, content: '<main/>' },
    ]);
  const saidOf = (whole: Buffer) =>
    Array.from({ length: whole.length }, (_, i) => sniffContent(whole.subarray(0, i + 1)));

  it.each([
    ['docx', 'wordprocessingml', 'word'],
    ['pptx', 'presentationml', 'ppt'],
    ['xlsx', 'spreadsheetml', 'xl'],
  ] as const)('is never called another kind, wherever it is cut: %s', (kind, type, folder) => {
    const said = new Set(saidOf(office(type, folder)).slice(4));
    expect([...said]).toEqual(['zip', 'office', kind]);
  });

  it('is said to be cut off where it does not show which program it is of', () => {
    const whole = buildZip([
      { name: '[Content_Types].xml', content: '<Types/>' },
      { name: 'word/document.xml', content: '<w/>' },
    ]);
    const cut = whole.subarray(0, whole.indexOf('word/'));
    expect(() => checkExtension('data.csv', sniffContent(cut))).toThrow('the beginning of an Office file, cut off');
  });
});

describe('the name must fit the content', () => {
  it.each([
    ['data.csv', 'zip'],
    ['data.csv', 'xlsx'],
    ['data.csv', 'html'],
    ['data.csv', 'json'],
    ['data.xlsx', 'text'],
    ['data.json', 'text'],
    ['report.pdf', 'html'],
    ['data.XLSX', 'xls'],
    ['data.csv', 'binary'],
  ] as const)('refuses %s that is %s', (name, kind) => {
    expect(() => checkExtension(name, kind)).toThrow(expect.objectContaining({ code: 'content_mismatch' }));
  });

  it.each([
    ['data.csv', 'text'],
    ['DATA.TSV', 'text'],
    ['data.jsonl', 'ndjson'],
    ['data.json', 'ndjson'],
    ['data.xlsx', 'encrypted_office'],
    ['data', 'json'],
    ['data.export', 'text'],
    ['data.csv', 'empty'],
  ] as const)('accepts %s that is %s', (name, kind) => {
    expect(() => checkExtension(name, kind)).not.toThrow();
  });

  it('says what was found in words', () => {
    expect(() => checkExtension('june.csv', 'xlsx')).toThrow(
      'The file is named ".csv" but its content is an Excel workbook (.xlsx).',
    );
  });
});
