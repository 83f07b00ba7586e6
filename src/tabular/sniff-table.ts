// Looks at a file and decides how to read it. Every decision carries its confidence and its reason; overrides replace single
// decisions and everything that depends on them is decided again. Nothing is stored and nothing is read but a sample.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { type ByteSource, readSlice } from './byte-source.ts';
import { type ContentKind, checkExtension, refuseContent, SNIFF_BYTES, sniffContent } from './content/sniff-content.ts';
import { detectDialect } from './csv/detect-dialect.ts';
import type { Dialect } from './csv/dialect.ts';
import { isRejectsFile } from './csv/rejects-file.ts';
import { chosenByUser, type Decision, decided } from './decision.ts';
import type { BesideSpan } from './json/json-scanner.ts';
import { withoutComments } from './layout/comment-lines.ts';
import { detectHeader, type HeaderLayout, headerAt } from './layout/detect-header.ts';
import { fitColumns, unfitted } from './layout/fit-columns.ts';
import { findGroups } from './layout/groups.ts';
import { findMixedDelimiters } from './layout/mixed-delimiters.ts';
import { findOtherTables } from './layout/other-tables.ts';
import { profileColumns } from './layout/profile-columns.ts';
import { defaultTotalRules } from './layout/row-classifier.ts';
import { type SampleRow, withGaps, withoutBlanks } from './layout/sample-row.ts';
import { findSideTables } from './layout/side-tables.ts';
import { defaultLimits, type TableLimits } from './limits.ts';
import {
  type ColumnReading,
  type ColumnRoles,
  checkOverrides,
  overrideDateOrder,
  type Reading,
  type ReadingOverrides,
  type TableFormat,
} from './reading.ts';
import { readingDoubts } from './reading-doubts.ts';
import { readingWarnings } from './reading-warnings.ts';
import { firstRows, HEAD_BYTES, sampleCsv, sampleJson } from './sample-table.ts';
import { detectEncoding } from './text/detect-encoding.ts';
import { findDoublyEncoded } from './text/mis-encoded.ts';
import { type Encoding, encodingNamed, openUtf8 } from './text/utf8-stream.ts';
import { commaStyle, decideNumberStyle, isUngrouped, pointStyle } from './values/number-style.ts';
import { readXlsx } from './xlsx/read-xlsx.ts';
import type { OtherSheet } from './xlsx/spreadsheet-messages.ts';

export interface SniffOptions {
  /** Checked against the content when given. */
  readonly fileName?: string;
  readonly overrides?: ReadingOverrides;
  /** Says of a text whether it is the name of a column that the caller knows. */
  readonly isKnownHeader?: (name: string) => boolean;
  readonly totalWords?: readonly string[];
  /** What the caller knows of the columns by their names. */
  readonly rolesOf?: (columns: readonly ColumnReading[]) => ColumnRoles;
  readonly limits?: TableLimits;
}

/** What a reader of a format found out before header and columns are decided. */
interface Found {
  readonly format: TableFormat;
  readonly encoding: Decision<Encoding>;
  readonly head: readonly SampleRow[];
  readonly spread: readonly SampleRow[];
  readonly dialect?: Decision<Dialect>;
  readonly sheet?: Reading['sheet'];
  readonly recordsKey?: Decision<string | null>;
  readonly otherLists?: readonly BesideSpan[];
  readonly otherSheets?: readonly OtherSheet[];
  /** JSON names its columns itself. */
  readonly names?: readonly string[];
}

const binaryEncoding = decided<Encoding>({ name: 'utf-8', bomBytes: 0 }, 'exact', 'a workbook says so itself');
const XLSX_SAMPLE_ROWS = 500;
/** Fewer rows than any format takes a sample of: there are no others. */
const SAMPLED_ROWS = 450;

export async function sniffTable(source: ByteSource, options: SniffOptions = {}): Promise<Reading> {
  const overrides = options.overrides ?? {};
  checkOverrides(overrides);
  const limits = options.limits ?? defaultLimits;
  const kind = await contentOf(source);
  if (options.fileName !== undefined) checkExtension(options.fileName, kind);
  const found = await findTable(source, kind, overrides, limits);
  return describe(found, options, overrides);
}

/** What the file is; looks further than its first bytes where those cannot tell. */
async function contentOf(source: ByteSource): Promise<ContentKind> {
  const head = await readSlice(source, 0, SNIFF_BYTES);
  const kind = sniffContent(head);
  if (kind !== 'xls' || head.length < 512) return kind;
  // The directory of a compound file may lie anywhere; its header says where.
  const directory = await readSlice(source, (head.readUInt32LE(48) + 1) * 2 ** head.readUInt16LE(30), 4096);
  return directory.includes(Buffer.from('EncryptedPackage', 'utf16le')) ? 'encrypted_office' : 'xls';
}

async function findTable(
  source: ByteSource,
  kind: ContentKind,
  overrides: ReadingOverrides,
  limits: TableLimits,
): Promise<Found> {
  switch (kind) {
    case 'text':
      return findCsv(source, overrides, limits);
    case 'json':
    case 'ndjson':
      return findJson(source, kind, overrides, limits);
    case 'xlsx':
      return findXlsx(source, overrides, limits);
    default:
      return refuseContent(kind);
  }
}

async function findCsv(source: ByteSource, overrides: ReadingOverrides, limits: TableLimits): Promise<Found> {
  const encoding = await decideEncoding(source, overrides);
  const sample = await utf8Head(source, encoding.value, limits);
  const dialect = overrideDialect(detectDialect(sample, overrides.delimiter), overrides);
  const { head, spread } = await sampleCsv(source, encoding.value, dialect.value, limits);
  return { format: 'csv', encoding, dialect, head, spread };
}

async function findJson(
  source: ByteSource,
  format: 'json' | 'ndjson',
  overrides: ReadingOverrides,
  limits: TableLimits,
): Promise<Found> {
  const encoding = await decideEncoding(source, overrides);
  const sample = await sampleJson(source, encoding.value, format, overrides.recordsKey, limits);
  // An empty list is an empty file; a list of lists or of texts holds rows that nobody could name.
  if (sample.rows.length === 0 && sample.unread > 0)
    throw new MillraceError('json_no_records', {
      reason: `none of its ${sample.unread} entries is an object with keys`,
    });
  const reason = sample.recordsKey === null ? 'the file is a list' : `the list is under "${sample.recordsKey}"`;
  const recordsKey =
    overrides.recordsKey === undefined
      ? decided(sample.recordsKey, sample.otherLists.length === 0 ? 'exact' : 'likely', reason)
      : chosenByUser(overrides.recordsKey);
  const base = { format, encoding, head: sample.rows, spread: [], names: sample.names, otherLists: sample.otherLists };
  return format === 'json' ? { ...base, recordsKey } : base;
}

async function findXlsx(source: ByteSource, overrides: ReadingOverrides, limits: TableLimits): Promise<Found> {
  let value = { name: '', names: [] as readonly string[] };
  let otherSheets: readonly OtherSheet[] = [];
  const onOpen = (name: string, names: readonly string[], others: readonly OtherSheet[]) => {
    value = { name, names };
    otherSheets = others;
  };
  const wanted = overrides.sheet ?? null;
  const rows = await firstRows(readXlsx(source, { sheet: wanted, limits, maxRows: XLSX_SAMPLE_ROWS, onOpen }));
  const head = withGaps(rows);
  const sheet =
    wanted === null
      ? decided(value, value.names.length > 1 ? 'likely' : 'exact', 'it is the first sheet')
      : chosenByUser(value);
  return { format: 'xlsx', encoding: binaryEncoding, head, spread: [], sheet, otherSheets };
}

function describe(found: Found, options: SniffOptions, overrides: ReadingOverrides): Reading {
  const rows = withoutBlanks(found.head);
  if (rows.length === 0) throw new MillraceError('empty_file');
  const header = found.names === undefined ? decideHeader(rows, options, overrides) : keysAsHeader(found.names);
  const { lines, skippedRows } = header.value;
  const otherTables = found.names === undefined ? findOtherTables(rows, header.value) : [];
  const isOther = ({ line }: SampleRow) =>
    otherTables.some(({ fromLine, toLine }) => line >= fromLine && (toLine === null || line <= toLine));
  const below = rows.slice(skippedRows).filter((row) => row.isBroken !== true && !isOther(row));
  const body = found.format === 'csv' ? withoutComments(below, header.value.names.length) : below;
  const fit = found.names === undefined ? fitColumns(header.value.names, body) : unfitted(header.value.names);
  const { names } = fit;
  const data = [...body, ...found.spread.filter((row) => row.cells.length === names.length)];
  const columns = profileColumns(names, data).map((column) => overrideDateOrder(column, overrides));
  const roles = options.rolesOf?.(columns);
  const preamble = rows.slice(0, skippedRows).filter((row) => !lines.includes(row.line) && !isOther(row));
  const reading: Reading = {
    version: 1,
    rules: 2,
    format: found.format,
    encoding: found.encoding,
    ...(found.dialect === undefined ? {} : { dialect: found.dialect }),
    ...(found.sheet === undefined ? {} : { sheet: found.sheet }),
    ...(found.recordsKey === undefined ? {} : { recordsKey: found.recordsKey }),
    preamble: preamble.map((row) => ({
      line: row.line,
      text: row.cells.filter((cell) => cell.trim() !== '').join(' · '),
    })),
    header: { ...header, value: { lines, names } },
    columns,
    numbers: decideNumbers(data, columns, found, overrides),
    totals: { ...defaultTotalRules(), ...totalWords(options, overrides), ...totalsAmong(overrides) },
    ...(roles === undefined ? {} : { roles }),
    ...(overrides.carryDown === undefined ? {} : { carryDown: overrides.carryDown }),
    ...(overrides.emptyMarkers === undefined ? {} : { emptyMarkers: overrides.emptyMarkers }),
    keptLines: overrides.keptLines ?? [],
    shortRows: overrides.shortRows ?? (found.format === 'csv' ? fit.shortRows : 'pad'),
    ...(otherTables.length === 0 ? {} : { otherTables }),
    unescapeFormulas: overrides.unescapeFormulas ?? isRejectsFile(names),
    warnings: [],
  };
  const sideTables = found.names === undefined ? findSideTables(names, body) : [];
  const mixed = overrides.delimiter === undefined ? mixedDelimiters(reading, rows, body) : null;
  const groups = findGroups(reading, body, found.spread, rows.length < SAMPLED_ROWS);
  const doublyEncoded = findDoublyEncoded([...names, ...data.flatMap(({ cells }) => cells)]);
  return {
    ...reading,
    warnings: readingWarnings(reading, fit),
    doubts: readingDoubts(reading, fit, body.length, { ...found, sideTables, groups, mixed, doublyEncoded }),
  };
}

function totalWords(options: SniffOptions, overrides: ReadingOverrides): { words?: readonly string[] } {
  const words = overrides.totalWords ?? options.totalWords;
  return words === undefined ? {} : { words };
}

function totalsAmong({ totalRows }: ReadingOverrides): Pick<Reading['totals'], 'among'> {
  return totalRows === undefined ? {} : { among: totalRows };
}

function mixedDelimiters(
  { dialect, header: { value: header }, preamble }: Reading,
  rows: readonly SampleRow[],
  body: readonly SampleRow[],
) {
  if (dialect === undefined) return null;
  const lastAbove = preamble.at(-1)?.line;
  // A blank line below titles parts them from the table.
  const isApart = rows[rows.findIndex(({ line }) => line === lastAbove) + 1]?.isAfterBlank === true;
  const above = new Set(isApart ? [] : preamble.map(({ line }) => line));
  return findMixedDelimiters({
    delimiter: dialect.value.delimiter,
    width: header.names.length,
    header: rows.find(({ line }) => line === header.lines.at(-1)),
    rows: body,
    above: rows.filter(({ line }) => above.has(line)),
  });
}

function decideHeader(
  rows: readonly SampleRow[],
  options: SniffOptions,
  overrides: ReadingOverrides,
): Decision<HeaderLayout> {
  if (overrides.headerLines !== undefined) {
    const chosen = headerAt(rows, overrides.headerLines, options.isKnownHeader);
    if (chosen === null)
      throw new MillraceError('reading_invalid', { reason: 'there is no row on the named header line' });
    return chosenByUser(chosen);
  }
  const header = detectHeader(rows, options.isKnownHeader ?? (() => false));
  if (header === null) throw new MillraceError('header_missing');
  return header;
}

function keysAsHeader(names: readonly string[]): Decision<HeaderLayout> {
  return decided({ names, lines: [], skippedRows: 0 }, 'exact', 'the records name their values');
}

function decideNumbers(
  data: readonly SampleRow[],
  columns: Reading['columns'],
  found: Found,
  overrides: ReadingOverrides,
): Reading['numbers'] {
  if (overrides.decimal !== undefined) return chosenByUser(overrides.decimal === ',' ? commaStyle : pointStyle);
  const numeric = columns.filter((column) => ['integer', 'decimal', 'money', 'percent'].includes(column.kind));
  const values = data.flatMap((row) => numeric.map((column) => row.cells[column.index] ?? ''));
  const delimiter = found.dialect?.value.delimiter;
  if (delimiter === undefined) return decideNumberStyle(values, { hasTypedNumbers: true });
  const hasUngrouped = numeric.some(({ index }) => isUngrouped(data.map(({ cells }) => cells[index] ?? '')));
  return decideNumberStyle(values, { delimiter, hasUngrouped });
}

async function decideEncoding(source: ByteSource, overrides: ReadingOverrides): Promise<Decision<Encoding>> {
  if (overrides.encoding === undefined) return detectEncoding(source);
  return chosenByUser(encodingNamed(overrides.encoding, await readSlice(source, 0, 4)));
}

function overrideDialect(detected: Decision<Dialect>, overrides: ReadingOverrides): Decision<Dialect> {
  const chosen = (['delimiter', 'quote', 'escape'] as const).filter((part) => overrides[part] !== undefined);
  if (chosen.length === 0) return detected;
  return chosenByUser({ ...detected.value, ...Object.fromEntries(chosen.map((part) => [part, overrides[part]])) });
}

/** The first bytes as UTF-8, cut at a line end unless that is all there is. */
async function utf8Head(source: ByteSource, encoding: Encoding, limits: TableLimits): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of openUtf8(source, encoding, 0, limits).chunks) {
    parts.push(part);
    length += part.length;
    if (length >= HEAD_BYTES) break;
  }
  const head = Buffer.concat(parts);
  if (head.length < HEAD_BYTES) return head;
  const cut = Math.max(head.lastIndexOf(10, HEAD_BYTES), head.lastIndexOf(13, HEAD_BYTES));
  return head.subarray(0, cut <= 0 ? HEAD_BYTES : cut + 1);
}
