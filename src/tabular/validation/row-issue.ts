// A fault of a row, as data. An issue names its line, offset, column, code and value; its cause groups it with similar issues.
import { type ErrorCode, entryOf } from '../../contract/errors/catalogue.ts';
import { type ErrorParams, sentence } from '../../contract/errors/millrace-error.ts';

export type Severity = 'error' | 'warning';

export interface RowIssue {
  readonly line: number;
  readonly offset: number;
  /** The column as the file names it, or the field; null when the row as a whole is meant. */
  readonly column: string | null;
  readonly code: string;
  readonly value: string | null;
  readonly message: string;
  readonly severity: Severity;
  readonly cause: string;
}

const MAX_VALUE_LENGTH = 500;
const MAX_SHAPE_LENGTH = 40;

export interface IssuePlace {
  readonly line: number;
  readonly offset: number;
}

/** An issue with a catalogued code: its sentence comes from the catalogue. */
export function rowIssue(
  place: IssuePlace,
  code: ErrorCode,
  column: string | null,
  value: string | null,
  severity: Severity = 'error',
  params: ErrorParams = {},
): RowIssue {
  const message = sentence(entryOf(code).message, { value: clip(value ?? ''), column: column ?? '', ...params });
  return issueWith(place, code, column, value, message, severity);
}

/** An issue of a pipeline's own rule. */
export function issueWith(
  place: IssuePlace,
  code: string,
  column: string | null,
  value: string | null,
  message: string,
  severity: Severity,
): RowIssue {
  return {
    line: place.line,
    offset: place.offset,
    column,
    code,
    value: value === null ? null : clip(value),
    message,
    severity,
    cause: causeOf(code, column, value),
  };
}

/** Issues with one cause were made by the same mistake: same code, same column, values of the same shape. */
export function causeOf(code: string, column: string | null, value: string | null): string {
  return `${code}|${column ?? ''}|${value === null ? '' : shapeKey(value)}`;
}

/** 13/02/2024 → 99/99/9999, "EUR 1.50" → AAA 9.99, "Café au lait" → a: digits keep their number, words only their presence. */
export function shapeKey(value: string): string {
  return value
    .slice(0, 200)
    .replace(/\p{L}[\p{L}\p{M}]*/gu, (word) => (/^\p{Lu}{2,3}$/u.test(word) ? 'AAA' : 'a'))
    .replace(/a(?:\s+a)+/g, 'a')
    .replace(/\d/g, '9')
    .replace(/9{5,}/g, '9+')
    .slice(0, MAX_SHAPE_LENGTH);
}

function clip(value: string): string {
  return value.length <= MAX_VALUE_LENGTH ? value : `${value.slice(0, MAX_VALUE_LENGTH)}…`;
}
