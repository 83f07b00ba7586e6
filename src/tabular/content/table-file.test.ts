// What the intake takes for a table: by content, never by name alone.
import { describe, expect, it } from 'vitest';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { sniffTableFile } from './table-file.ts';

const zip = 'PK\x03\x04';
const workbookZip = (entry: string) => {
  const header = Buffer.alloc(30);
  header.write(zip, 'latin1');
  header.writeUInt16LE(entry.length, 26);
  return Buffer.concat([header, Buffer.from(entry), Buffer.alloc(100)]);
};

function verdict(content: string | Buffer, name: string): string {
  try {
    return sniffTableFile(Buffer.from(content as string), name).format;
  } catch (error) {
    return error instanceof MillraceError ? error.code : String(error);
  }
}

describe('a file at the intake is taken or refused for what it is', () => {
  it.each<[string, string | Buffer, string, string]>([
    ['a CSV', 'a,b\n1,2\n', 'x.csv', 'csv'],
    ['a TSV named txt', 'a\tb\n', 'X.TXT', 'csv'],
    ['a CSV in UTF-16', Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'), 'x.csv', 'csv'],
    ['JSON', '[{"a":1}]', 'x.json', 'json'],
    ['JSON lines', '{"a":1}\n{"a":2}\n', 'x.jsonl', 'ndjson'],
    ['a workbook', workbookZip('xl/workbook.xml'), 'x.xlsx', 'xlsx'],
    ['a zip named csv', workbookZip('evil.txt'), 'x.csv', 'content_mismatch'],
    ['a workbook named csv', workbookZip('xl/workbook.xml'), 'x.csv', 'content_mismatch'],
    ['HTML named csv', '<!doctype html><script>alert(1)</script>', 'x.csv', 'content_mismatch'],
    ['HTML named pdf', '<html><body>', 'x.pdf', 'content_mismatch'],
    ['a PDF hidden behind text', `a,b\n${' '.repeat(500)}%PDF-1.7`, 'x.csv', 'content_mismatch'],
    ['a PDF that says so', '%PDF-1.7', 'x.pdf', 'format_unsupported'],
    ['JSON named csv', '[{"a":1}]', 'x.csv', 'content_mismatch'],
    ['CSV named json', 'a,b\n', 'x.json', 'content_mismatch'],
    ['a program named csv', '\x7fELF', 'x.csv', 'content_mismatch'],
    ['an image', '\x89PNG\r\n\x1a\n', 'x.png', 'format_unsupported'],
    ['white space only', ' \r\n\t', 'x.csv', 'empty_file'],
  ])('%s', (_, content, name, expected) => {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
    expect(verdict(bytes, name)).toBe(expected);
  });
});
