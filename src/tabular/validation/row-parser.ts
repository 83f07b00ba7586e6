// From a row's cells to a record of fields, by mapping and reading: numbers in the file's style, dates in the column's order, ids
// as text. Whatever cannot be read becomes an issue beside a null, so that one bad cell does not hide another.

import type { ErrorCode } from '../../contract/errors/catalogue.ts';
import { unescapeFormula, withoutFormula } from '../csv/formula-escape.ts';
import type { FieldCatalogue, FieldDefinition } from '../mapping/fields.ts';
import type { ColumnMapping } from '../mapping/mapping.ts';
import type { Reading } from '../reading.ts';
import type { RowBatch } from '../row-batch.ts';
import { currencyOf } from '../values/currency-sign.ts';
import { EmptyMarkers } from '../values/empty-markers.ts';
import { parseDate } from '../values/parse-date.ts';
import { isPlainId, parseId, parseText } from '../values/parse-id.ts';
import { parseInteger, parseNumber, readPlainNumber } from '../values/parse-number.ts';
import { faultyValue, type ParsedValue } from '../values/parsed-value.ts';
import { type IssuePlace, type RowIssue, rowIssue, type Severity } from './row-issue.ts';

export interface ParsedRow {
  /** By field; every mapped field is present, null when it has no value or its value is faulty. */
  readonly values: Record<string, string | null>;
  readonly issues: readonly RowIssue[];
  /** Of the first money field with a value: as its cell writes it, explained by its header, or as the header alone says. */
  readonly currency: string | null;
}

interface Step {
  readonly column: number;
  readonly name: string;
  readonly isNumeric: boolean;
  readonly isMoney: boolean;
  /** Currency named in the column's header. */
  readonly currency: string | null;
  /** The value of the plain texts that most cells hold, without an object around it; null for everything else. */
  readonly plain: (text: string) => string | null;
  readonly parse: (text: string) => ParsedValue;
}

/** What a row is read from: a batch, or cells at hand. */
interface CellSource {
  text(row: number, column: number): string;
  line(row: number): number;
  offset(row: number): number;
}

const noIssues: readonly RowIssue[] = [];
/** Distinct texts of a date column that are remembered; a report covers a few hundred days. */
const MAX_REMEMBERED = 5_000;

export class RowParser {
  readonly #steps: readonly Step[];
  readonly #required: readonly string[];
  /** Every field of a row, so that all rows have one shape: filling it is cheaper than growing it. */
  readonly #blank: Readonly<Record<string, string | null>>;
  readonly #unescapes: boolean;

  constructor(
    reading: Reading,
    columns: readonly ColumnMapping[],
    catalogue: FieldCatalogue,
    constants: Readonly<Record<string, string>> = {},
  ) {
    this.#steps = columns.flatMap((column) => {
      const field = column.field === null ? undefined : catalogue.field(column.field);
      if (field === undefined) return [];
      return [
        {
          column: column.column,
          name: field.name,
          isNumeric: isNumeric(field),
          isMoney: field.kind === 'money',
          currency: column.currency ?? null,
          plain: plainReaderFor(field, reading),
          parse: parserFor(field, column.column, reading),
        },
      ];
    });
    this.#required = catalogue.fields.filter((field) => field.isRequired === true).map((field) => field.name);
    this.#blank = { ...Object.fromEntries(this.#steps.map(({ name }) => [name, null])), ...constants };
    this.#unescapes = reading.unescapeFormulas;
  }

  /** A faulted row (batch.fault) yields that one issue and no values. */
  parse(batch: RowBatch, row: number): ParsedRow {
    const fault = batch.fault(row);
    if (fault === null) return this.#parse(batch, row);
    const place = { line: batch.line(row), offset: batch.offset(row) };
    return { values: {}, issues: [rowIssue(place, fault, null, batch.rawText(row))], currency: null };
  }

  /** The same for cells that come from elsewhere: a corrected row, a replay. */
  parseCells(cells: readonly string[], place: IssuePlace): ParsedRow {
    const row = {
      text: (_: number, column: number) => cells[column] ?? '',
      line: () => place.line,
      offset: () => place.offset,
    };
    return this.#parse(row, 0);
  }

  #parse(cells: CellSource, row: number): ParsedRow {
    const values: Record<string, string | null> = { ...this.#blank };
    let issues: RowIssue[] | null = null;
    let currency: string | null = null;
    for (const step of this.#steps) {
      const cell = withoutFormula(cells.text(row, step.column));
      const text = this.#unescapes ? unescapeFormula(cell) : cell;
      const plain = step.plain(text);
      if (plain !== null) {
        values[step.name] = plain;
        if (step.isMoney) currency ??= step.currency;
        continue;
      }
      const parsed = step.parse(text);
      if (parsed.kind === 'value') {
        values[step.name] = parsed.value;
        if (step.isMoney) currency ??= currencyOf(parsed.currency ?? null, step.currency);
        continue;
      }
      values[step.name] = null;
      if (parsed.kind === 'fault') issues = withIssue(issues, cells, row, parsed.code, step.name, text, 'error');
      else if (parsed.warning !== null && step.isNumeric) {
        issues = withIssue(issues, cells, row, parsed.warning, step.name, text, 'warning');
      }
    }
    for (const name of this.#required) {
      if ((values[name] ?? null) === null && !hasError(issues, name)) {
        issues = withIssue(issues, cells, row, 'value_required', name, null, 'error');
      }
    }
    return { values, issues: issues ?? noIssues, currency };
  }
}

function withIssue(
  issues: RowIssue[] | null,
  cells: CellSource,
  row: number,
  code: ErrorCode,
  field: string,
  text: string | null,
  severity: Severity,
): RowIssue[] {
  const issue = rowIssue({ line: cells.line(row), offset: cells.offset(row) }, code, field, text, severity);
  if (issues === null) return [issue];
  issues.push(issue);
  return issues;
}

function plainReaderFor(field: FieldDefinition, reading: Reading): (text: string) => string | null {
  const style = reading.numbers.value;
  switch (field.kind) {
    case 'integer':
      return (text) => {
        const value = readPlainNumber(text, style);
        return value?.includes('.') === true ? null : value;
      };
    case 'decimal':
    case 'money':
    case 'percent':
      return (text) => readPlainNumber(text, style);
    case 'id': {
      let last: string | null = null;
      return (text) => {
        if (text === last) return last;
        if (!isPlainId(text)) return null;
        last = text;
        return text;
      };
    }
    default:
      return () => null;
  }
}

function parserFor(field: FieldDefinition, column: number, reading: Reading): (text: string) => ParsedValue {
  const style = reading.numbers.value;
  const markers = reading.emptyMarkers === undefined ? undefined : new EmptyMarkers(reading.emptyMarkers);
  switch (field.kind) {
    case 'integer':
      return (text) => withoutPercent(parseInteger(text, style, markers));
    case 'money':
      return (text) => withoutPercent(parseNumber(text, style, markers));
    case 'decimal':
    case 'percent':
      return (text) => parseNumber(text, style, markers);
    case 'date': {
      const order = reading.columns.find((candidate) => candidate.index === column)?.dateOrder?.value ?? 'unknown';
      return remembering((text) => parseDate(text, order, markers));
    }
    case 'id':
      return (text) => parseId(text, markers);
    default:
      return repeating((text) => parseText(text, markers));
  }
}

/** "5 %" is neither five clicks nor five dollars. */
function withoutPercent(parsed: ParsedValue): ParsedValue {
  return parsed.kind === 'value' && parsed.unit === '%' ? faultyValue('number_malformed') : parsed;
}

/**
 * Exports are mostly sorted, so a name is often that of the row before. It comes back as the very same text, which is then compared and
 * hashed in no time.
 */
function repeating(parse: (text: string) => ParsedValue): (text: string) => ParsedValue {
  let last: { readonly text: string; readonly parsed: ParsedValue } | null = null;
  return (text) => {
    if (last?.text === text) return last.parsed;
    const parsed = parse(text);
    last = { text, parsed };
    return parsed;
  };
}

/** Dates repeat: thousands of rows share a few hundred days. */
function remembering(parse: (text: string) => ParsedValue): (text: string) => ParsedValue {
  const known = new Map<string, ParsedValue>();
  return (text) => {
    const seen = known.get(text);
    if (seen !== undefined) return seen;
    const parsed = parse(text);
    if (known.size < MAX_REMEMBERED) known.set(text, parsed);
    return parsed;
  };
}

function isNumeric(field: FieldDefinition): boolean {
  return field.kind === 'integer' || field.kind === 'decimal' || field.kind === 'money' || field.kind === 'percent';
}

function hasError(issues: readonly RowIssue[] | null, column: string): boolean {
  return issues?.some((issue) => issue.column === column && issue.severity === 'error') ?? false;
}
