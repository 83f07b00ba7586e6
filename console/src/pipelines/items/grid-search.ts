// The part of the grid that is shown, as the address has it.
import { type ItemStatus, itemStatuses } from '../../../../src/contract/pipelines/items/item-statuses.ts';

export interface GridSearch {
  readonly status?: ItemStatus;
  readonly text?: string;
  readonly column?: string;
  /** The first row of the grid, from 1; for jobs with more rows than a page of a browser can be long. */
  readonly row?: number;
}

const MAX_TEXT = 200;
const MAX_ROW = 2_147_483_647;

export function readGridSearch(search: Record<string, unknown>): GridSearch {
  const { status, text, column } = search;
  const row = Number(search.row);
  return {
    ...(itemStatuses.includes(status as ItemStatus) ? { status: status as ItemStatus } : {}),
    ...(typeof text === 'string' && text !== '' ? { text: text.slice(0, MAX_TEXT) } : {}),
    ...(typeof column === 'string' && column !== '' ? { column } : {}),
    ...(Number.isInteger(row) && row > 1 && row <= MAX_ROW ? { row } : {}),
  };
}

/** Without a filter every row is shown, and a row's place is known by its number. */
export function isFiltered({ status, text }: GridSearch): boolean {
  return status !== undefined || text !== undefined;
}
