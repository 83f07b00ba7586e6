// A workbook out: pages of rows become sheets, a piece at a time, so that memory does not grow with them. Texts are written as texts (inline strings): a workbook runs no cell that
// is none of its formulas. A sheet that is full is followed by another, with the header again.
import { writeZip, type ZipEntry } from '../write-zip.ts';

export type XlsxCell = string | number | Date | null;

export interface XlsxOptions {
  readonly name: string;
  readonly header: readonly string[];
  /** Rows per sheet with its header; left out: what a sheet may have. */
  readonly maxRows?: number;
}

const MAX_ROWS = 1_048_576;
/** An entry of the archive is smaller than 4 GiB. */
const MAX_SHEET_BYTES = 3 * 1024 ** 3;
const PIECE_CHARS = 128 * 1024;
/** Few, so that rows of a megabyte do not pile up. */
const ROWS_PER_PIECE = 64;
/** Of a cell's text, in UTF-16 units: programs call a workbook with more damaged. */
const MAX_CELL_CHARS = 32_767;
const DAY_MS = 86_400_000;
const FIRST_DAY_MS = Date.UTC(1899, 11, 31);
/** Workbooks know a 29th of February 1900. */
const DAY_THAT_WAS_NOT = 60;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

export function writeXlsx(
  pages: AsyncIterable<readonly (readonly XlsxCell[])[]>,
  options: XlsxOptions,
): AsyncGenerator<Buffer> {
  return writeZip(entries(pages, options));
}

async function* entries(
  pages: AsyncIterable<readonly (readonly XlsxCell[])[]>,
  { name, header, maxRows = MAX_ROWS }: XlsxOptions,
): AsyncGenerator<ZipEntry> {
  const rows = new Rows(pages);
  let sheets = 0;
  do {
    sheets += 1;
    yield { path: `xl/worksheets/sheet${sheets}.xml`, data: sheet(rows, header, maxRows) };
  } while (await rows.hasMore());
  for (const [path, text] of partsOf(name, sheets)) yield { path, data: [Buffer.from(XML + text)] };
}

/** Rows of pages, so many at a time. */
class Rows {
  readonly #pages: AsyncIterator<readonly (readonly XlsxCell[])[]>;
  #page: readonly (readonly XlsxCell[])[] = [];
  #at = 0;

  constructor(pages: AsyncIterable<readonly (readonly XlsxCell[])[]>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  async hasMore(): Promise<boolean> {
    while (this.#at >= this.#page.length) {
      const { done, value } = await this.#pages.next();
      if (done === true) return false;
      this.#page = value;
      this.#at = 0;
    }
    return true;
  }

  /** What is left of the page. */
  take(atMost: number): readonly (readonly XlsxCell[])[] {
    const some = this.#page.slice(this.#at, this.#at + atMost);
    this.#at += some.length;
    return some;
  }
}

async function* sheet(rows: Rows, header: readonly string[], maxRows: number): AsyncGenerator<Buffer> {
  const columns = header.map((_, index) => columnName(index));
  let text = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><sheetData>`;
  text += rowXml(header, 1, columns);
  let row = 1;
  let bytes = 0;
  while (row < maxRows && bytes < MAX_SHEET_BYTES && (await rows.hasMore())) {
    for (const cells of rows.take(Math.min(maxRows - row, ROWS_PER_PIECE))) {
      row += 1;
      text += rowXml(cells, row, columns);
    }
    if (text.length < PIECE_CHARS) continue;
    const piece = Buffer.from(text);
    text = '';
    bytes += piece.length;
    yield piece;
  }
  yield Buffer.from(`${text}</sheetData></worksheet>`);
}

function rowXml(cells: readonly XlsxCell[], row: number, columns: readonly string[]): string {
  let xml = '';
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index];
    if (typeof cell === 'string')
      xml += `<c r="${columns[index]}${row}" t="inlineStr"><is><t${NEEDS_SPACE.test(cell) ? ' xml:space="preserve"' : ''}>${escaped(fitted(cell))}</t></is></c>`;
    else if (typeof cell === 'number') {
      if (Number.isFinite(cell)) xml += `<c r="${columns[index]}${row}"><v>${cell}</v></c>`;
    } else if (cell instanceof Date)
      xml += `<c r="${columns[index]}${row}" s="${cell.getTime() % DAY_MS === 0 ? DAY_STYLE : TIME_STYLE}"><v>${serialOf(cell)}</v></c>`;
  }
  return xml === '' ? '' : `<row r="${row}">${xml}</row>`;
}

/** The text, or as much of it as a cell takes, with a word that there is more. */
function fitted(text: string): string {
  if (text.length <= MAX_CELL_CHARS) return text;
  const note = ` … (cut: ${text.length} characters, a cell of a workbook takes ${MAX_CELL_CHARS}; the CSV has them all)`;
  const kept = text.slice(0, MAX_CELL_CHARS - note.length);
  // Not in the middle of a character.
  return (/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept) + note;
}

/** Of styles.xml: 0 is for all that is no date. */
const DAY_STYLE = 1;
const TIME_STYLE = 2;
const NEEDS_SPACE = /^ | $|[\n\t]/;
/** What XML cannot hold, and what would be read as the sign for it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const SPECIAL = /[&<>\r\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/;
const everySpecial = new RegExp(SPECIAL, 'g');
const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escaped(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replace(
    everySpecial,
    (found) => names[found] ?? `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  );
}

/** A, B, …, Z, AA, … */
export function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

function serialOf(date: Date): number {
  const days = (date.getTime() - FIRST_DAY_MS) / DAY_MS;
  return Math.round((days >= DAY_THAT_WAS_NOT ? days + 1 : days) * 1e10) / 1e10;
}

function* partsOf(name: string, sheets: number): Generator<[string, string]> {
  const numbers = Array.from({ length: sheets }, (_, index) => index + 1);
  const title = (number: number) => escaped(number === 1 ? name : `${name} ${number}`).replaceAll('"', '&quot;');
  const part = (path: string, type: string) => `<Override PartName="/${path}" ContentType="${TYPES}.${type}+xml"/>`;
  const link = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  yield [
    'xl/styles.xml',
    `<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy-mm-dd"/><numFmt numFmtId="165" formatCode="yyyy-mm-dd hh:mm:ss"/></numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
  ];
  yield [
    'xl/workbook.xml',
    `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${numbers.map((number) => `<sheet name="${title(number)}" sheetId="${number}" r:id="rId${number}"/>`).join('')}</sheets></workbook>`,
  ];
  yield [
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="${PACKAGE}/relationships">${numbers.map((number) => link(`rId${number}`, 'worksheet', `worksheets/sheet${number}.xml`)).join('')}${link(`rId${sheets + 1}`, 'styles', 'styles.xml')}</Relationships>`,
  ];
  yield [
    '_rels/.rels',
    `<Relationships xmlns="${PACKAGE}/relationships">${link('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
  ];
  yield [
    '[Content_Types].xml',
    `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${part('xl/workbook.xml', 'sheet.main')}${numbers.map((number) => part(`xl/worksheets/sheet${number}.xml`, 'worksheet')).join('')}${part('xl/styles.xml', 'styles')}</Types>`,
  ];
}
