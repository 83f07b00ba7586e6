// An item as grid and single view show it.
import type { AnswerOf } from '../../../contract/api/client.ts';
import type { AttemptRow, ItemRow, RequestShown, SingleItem } from '../sql/read-items.ts';

export type ItemView = AnswerOf<'jobs.items'>['data'][number];

const time = (date: Date | null) => date?.toISOString() ?? null;

export function viewItem(row: ItemRow): ItemView {
  return {
    id: row.id,
    row_index: row.row_index,
    line: row.line,
    status: row.status as ItemView['status'],
    attempts: row.attempts,
    strategy: row.strategy,
    error_code: row.error_code,
    last_error: row.last_error,
    locked_by: row.locked_by,
    locked_at: time(row.locked_at),
    next_attempt_at: time(row.next_attempt_at),
    updated_at: time(row.updated_at),
    input: { ...row.input_json, ...row.corrections },
    corrected: Object.keys(row.corrections ?? {}),
    result: row.result_json,
  };
}

export function viewDetail(
  row: SingleItem,
  attempts: readonly AttemptRow[],
  requests: readonly RequestShown[],
): AnswerOf<'jobs.item'> {
  return {
    ...viewItem(row),
    original: row.input_json ?? {},
    corrections: row.corrections,
    normalized: row.normalized_json,
    record: attempts.map((each) => ({
      ...each,
      answer: each.answer ?? null,
      next_attempt_at: time(each.next_attempt_at),
      started_at: each.started_at.toISOString(),
      ended_at: each.ended_at.toISOString(),
    })),
    requests: requests.map((each) => ({ ...each, created_at: each.created_at.toISOString() })),
  };
}
