// What of the grid is shown, as the address says it.
import { type ItemStatus, itemStatuses } from '../../../../src/contract/pipelines/items/item-statuses.ts';

export interface GridSearch {
  readonly status?: ItemStatus;
  readonly text?: string;
  readonly column?: string;
}

const MAX_TEXT = 200;

export function readGridSearch(search: Record<string, unknown>): GridSearch {
  const { status, text, column } = search;
  return {
    ...(itemStatuses.includes(status as ItemStatus) ? { status: status as ItemStatus } : {}),
    ...(typeof text === 'string' && text !== '' ? { text: text.slice(0, MAX_TEXT) } : {}),
    ...(typeof column === 'string' && column !== '' ? { column } : {}),
  };
}
