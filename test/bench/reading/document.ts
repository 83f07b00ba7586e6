// A file in the making: lines of cells with what a person would make of them, then a way of writing (delimiter, quotes, line ends,
// encoding), then bytes. Defects change the lines or the way of writing; the truth says what should come out.
import iconv from 'iconv-lite';
import type { CleanTable } from './table.ts';

export interface Line {
  /** Null: `raw` is written as it is. */
  readonly cells: readonly string[] | null;
  readonly raw?: string;
  /** Cells are written without quotes whatever they hold. */
  readonly isBare?: boolean;
}

export interface Writing {
  delimiter: string;
  quote: '"' | "'" | null;
  quoting: 'minimal' | 'all' | 'text';
  escape: 'double' | 'backslash' | 'none';
  lineEnd: string;
  encoding: string;
  bom: boolean;
  endsWithBreak: boolean;
  /** Columns are padded with blanks to one width. */
  isPadded: boolean;
}

export interface Document {
  table: CleanTable;
  /** Several where more than one reading of the header is right. */
  headers: string[][];
  /** What stands above the data, in the order of the file. */
  top: Line[];
  header: Line[];
  data: Line[];
  bottom: Line[];
  writing: Writing;
}

export interface Truth {
  readonly headers: readonly (readonly string[])[];
  readonly rows: readonly (readonly string[])[];
}

export interface MessyFile {
  readonly kinds: readonly string[];
  readonly bytes: Buffer;
  readonly truth: Truth;
}

export function startDocument(table: CleanTable): Document {
  return {
    table,
    headers: [table.names],
    top: [],
    header: [{ cells: table.names }],
    data: table.rows.map((cells) => ({ cells })),
    bottom: [],
    writing: {
      delimiter: ',',
      quote: '"',
      quoting: 'minimal',
      escape: 'double',
      lineEnd: '\r\n',
      encoding: 'utf-8',
      bom: false,
      endsWithBreak: true,
      isPadded: false,
    },
  };
}

export function finish(document: Document, kinds: readonly string[]): MessyFile {
  const { writing, top, header, data, bottom } = document;
  const lines = [...top, ...header, ...data, ...bottom].map((line) => writeLine(line, writing));
  const text = lines.join(writing.lineEnd) + (writing.endsWithBreak ? writing.lineEnd : '');
  const bytes = iconv.encode(text, writing.encoding, { addBOM: writing.bom });
  return { kinds, bytes, truth: { headers: document.headers, rows: document.table.rows } };
}

export function writeLine(line: Line, writing: Writing): string {
  if (line.cells === null) return line.raw ?? '';
  const cells = line.cells.map((cell) => (line.isBare === true ? cell : writeCell(cell, writing)));
  if (!writing.isPadded) return cells.join(writing.delimiter);
  return cells.map((cell) => cell.padEnd(18)).join(writing.delimiter);
}

function writeCell(cell: string, { delimiter, quote, quoting, escape: style }: Writing): string {
  if (quote === null) return cell;
  const isNumber = /^-?[\d.]+$/.test(cell);
  const needs = cell.includes(delimiter.trim() || delimiter) || cell.includes(quote) || /[\r\n]/.test(cell);
  if (!needs && (quoting === 'minimal' || (quoting === 'text' && isNumber))) return cell;
  const inner =
    style === 'none'
      ? cell
      : style === 'double'
        ? cell.replaceAll(quote, quote + quote)
        : cell.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`);
  return `${quote}${inner}${quote}`;
}
