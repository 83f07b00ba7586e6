// The rows of one sheet, cell texts as displayed. Rows and columns that a sheet leaves out cost nothing; declared dimensions are
// not even read.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { TableLimits } from '../limits.ts';
import { displayNumber } from './cell-format.ts';
import type { SharedStrings } from './shared-strings.ts';
import type { Workbook } from './workbook-parts.ts';
import { attributeOf, decodeEscapes, XmlEvents } from './xml-events.ts';

/** The most rows of any program that writes workbooks (LibreOffice; Excel has 1,048,576). */
const MAX_ROW = 16_777_216;

export interface SheetContext {
  readonly workbook: Workbook;
  readonly strings: SharedStrings;
  readonly limits: TableLimits;
}

/** Told of what a sheet holds and its texts do not show. */
export interface SheetNotes {
  /** A formula whose result nobody has stored. */
  uncomputed(row: number): void;
  /** Cells of several rows shown as one: only the first holds the value. Columns count from 0. */
  merged(fromRow: number, toRow: number, column: number): void;
  /** Columns that are not shown, the last one included; they are told before the first row. */
  hiddenColumns(from: number, to: number): void;
}

/** Calls `onRow` with the row's number (from 1), its texts, and whether the sheet hides it. */
export function sheetEvents(
  context: SheetContext,
  onRow: (number: number, cells: string[], isHidden: boolean) => void,
  notes?: SheetNotes,
): XmlEvents {
  const { limits } = context;
  let isInRow = false;
  let rowNumber = 0;
  let isHidden = false;
  let cells: string[] = [];
  let rowLength = 0;
  let gapCells = 0;
  let column = -1;
  let type = '';
  let style = 0;
  let value = '';
  let isInValue = false;
  let isInCell = false;
  let isPhonetic = false;
  let hasFormula = false;

  const openCell = (attributes: string) => {
    isInCell = true;
    const place = attribute(attributes, 'r');
    column = place === null ? column + 1 : columnOf(place);
    if (column < 0 || column >= limits.maxColumns) {
      throw new MillraceError('too_many_columns', { line: rowNumber, limit: limits.maxColumns });
    }
    type = attribute(attributes, 't') ?? 'n';
    style = Number(attribute(attributes, 's') ?? -1);
    value = '';
    hasFormula = false;
  };
  const closeCell = () => {
    isInCell = false;
    // A formula whose result is an empty text says that it is a text.
    if (hasFormula && value === '' && type !== 'str') notes?.uncomputed(rowNumber);
    const text = displayCell(type, style, value, context);
    if (text === '') return;
    gapCells += Math.max(0, column - cells.length);
    if (gapCells > limits.spreadsheet.maxGapCells) {
      throw new MillraceError('spreadsheet_too_large', { reason: 'its rows are almost all gaps' });
    }
    while (cells.length < column) cells.push('');
    cells[column] = text;
    rowLength += text.length;
    if (rowLength > limits.maxRowBytes)
      throw new MillraceError('line_too_long', { line: rowNumber, limit: limits.maxRowBytes });
  };

  return new XmlEvents({
    open: (name, attributes) => {
      if (name === 'c' && isInRow) openCell(attributes);
      else if (name === 'v' || name === 't') isInValue = isInCell && !isPhonetic;
      else if (name === 'row') {
        isInRow = true;
        const given = attribute(attributes, 'r');
        rowNumber = rowNumberOf(given, rowNumber) ?? rowNumber + 1;
        isHidden = /^(?:1|true)$/.test(attribute(attributes, 'hidden') ?? '');
        cells = [];
        rowLength = 0;
        column = -1;
      } else if (name === 'f') hasFormula = isInCell;
      else if (name === 'col') tellHiddenColumns(attributes, notes);
      else if (name === 'rPh') isPhonetic = true;
      else if (name === 'mergeCell') tellMerged(attribute(attributes, 'ref') ?? '', notes);
    },
    text: (text) => {
      if (!isInValue) return;
      value += text;
      if (value.length > limits.maxRowBytes) {
        throw new MillraceError('line_too_long', { line: rowNumber, limit: limits.maxRowBytes });
      }
    },
    close: (name) => {
      if (name === 'v' || name === 't') isInValue = false;
      else if (name === 'c' && isInCell) closeCell();
      else if (name === 'row' && isInRow) {
        isInRow = false;
        onRow(rowNumber, cells, isHidden);
      } else if (name === 'rPh') isPhonetic = false;
    },
  });
}

function displayCell(type: string, style: number, value: string, context: SheetContext): string {
  switch (type) {
    case 's':
      return value === '' ? '' : sharedText(context.strings, value);
    case 'str':
    case 'inlineStr':
      return decodeEscapes(value);
    case 'b':
      return value === '1' || value === 'true' ? 'TRUE' : 'FALSE';
    case 'd':
      return value.replace(/T00:00:00(?:\.0+)?Z?$/, '');
    case 'n':
      return value === ''
        ? ''
        : displayNumber(value, context.workbook.formats[style] ?? { kind: 'general' }, context.workbook.isFrom1904);
    default:
      return value;
  }
}

/** "B2:B5"; "A1:F1" is a title over several columns. */
function tellMerged(range: string, notes: SheetNotes | undefined): void {
  const [from = 0, to = 0] = range.split(':').map((place) => Number(place.replace(/^\$?[A-Za-z]+\$?/, '')));
  if (to > from) notes?.merged(from, to, columnOf(range.replace(/^\$/, '')));
}

/** Also those that are no wider than nothing: a person sees neither. */
function tellHiddenColumns(attributes: string, notes: SheetNotes | undefined): void {
  const isHidden =
    /^(?:1|true)$/.test(attribute(attributes, 'hidden') ?? '') || Number(attribute(attributes, 'width') ?? 1) === 0;
  const [from, to] = [Number(attribute(attributes, 'min')), Number(attribute(attributes, 'max'))];
  if (isHidden && from >= 1 && to >= from) notes?.hiddenColumns(from - 1, to - 1);
}

/** A cell whose text is nowhere is not an empty cell. */
function sharedText(strings: SharedStrings, index: string): string {
  const text = strings.get(Number(index));
  if (text !== null) return text;
  throw new MillraceError('spreadsheet_damaged', { reason: `text number ${index}, which a cell shows, is missing` });
}

/**
 * Null where the workbook says none, one that no sheet has, or one that is not behind the row before: then rows are counted. A row is found
 * again by its number, so no two may have the same.
 */
function rowNumberOf(given: string | null, before: number): number | null {
  const number = Number(given);
  return given !== null && Number.isInteger(number) && number > before && number <= MAX_ROW ? number : null;
}

/** Cells have few, short attributes, and there are millions of cells: no regular expressions here. */
function attribute(attributes: string, name: string): string | null {
  const at = attributes.indexOf(` ${name}="`);
  if (at === -1) return attributes.includes("'") ? attributeOf(attributes, name) : null;
  const start = at + name.length + 3;
  return attributes.slice(start, attributes.indexOf('"', start));
}

/** AB12 → 27. */
function columnOf(place: string): number {
  let column = 0;
  for (let i = 0; i < place.length; i++) {
    const c = place.charCodeAt(i) & ~32;
    if (c < 65 || c > 90) break;
    column = column * 26 + (c - 64);
  }
  return column - 1;
}
