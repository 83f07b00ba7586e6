// A refused row as it is kept: what is wrong with it, and its cells under the names they have in the file.
import type { RejectRecord } from '../../engine/sql/insert-rejects.ts';
import { storableText } from '../../platform/storable-text.ts';
import type { RowBatch } from '../row-batch.ts';
import type { NumberStyle } from '../values/number-style.ts';
import { suggestFix } from './fixes.ts';
import { causeOf, type IssuePlace, type RowIssue, rowIssue } from './row-issue.ts';

/** The first fault gives the reject its code, column, cluster and evident fix; all of them are kept with it. `numbers`: the file's style. */
export function rejectOf(
  place: IssuePlace,
  issues: readonly RowIssue[],
  item: Readonly<Record<string, string | null>>,
  numbers?: NumberStyle,
): RejectRecord {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const first = errors[0] as RowIssue;
  const suggestion = first.value === null ? null : suggestFix(first.code, [first.value], numbers);
  const storable = (text: string | null) => (text === null ? null : storableText(text));
  return {
    line: place.line,
    byteOffset: place.offset,
    column: first.column,
    code: first.code,
    message: storableText(first.message),
    value: storable(first.value),
    cause: storableText(first.cause),
    ...(suggestion === null ? {} : { suggestion }),
    errors: errors.map(({ column, code, message, value }) => ({
      column,
      code,
      message: storableText(message),
      value: storable(value),
    })),
    item,
  };
}

/** Cells by header. A row that could not be split stands whole under the first header. */
export function cellsOf(batch: RowBatch, row: number, names: readonly string[]): Record<string, string> {
  const cells: Record<string, string> = {};
  batch.texts(row).forEach((text, index) => {
    const name = names[index] ?? `Column ${index + 1}`;
    if (text !== '' || index < names.length) cells[name] ??= storableText(text);
  });
  return cells;
}

/** A row fault becomes parse_error; what exactly is wrong is in its sentence and separates the clusters. */
export function unreadableRow(batch: RowBatch, row: number, encoding: string): RowIssue {
  const place = { line: batch.line(row), offset: batch.offset(row) };
  const fault = batch.fault(row) ?? 'row_too_short';
  const { message: reason } = rowIssue(place, fault, null, null, 'error', { encoding });
  const plain = rowIssue(place, 'parse_error', null, batch.rawText(row), 'error', { reason });
  return { ...plain, cause: causeOf('parse_error', fault, null) };
}
