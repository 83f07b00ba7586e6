// A refused row as the API shows it. What pipelines store as the item is shown as cells by header, every value as text.
import type { AnswerOf } from '../../contract/api/client.ts';
import type { RejectRow } from '../../engine/reads/list-rejects.ts';
import type { Cells, Fault } from './reject-tools.ts';

export type RejectView = AnswerOf<'rejects.list'>['data'][number];

export interface StoredCorrection {
  readonly cells: Cells;
  readonly faults: readonly Fault[];
}

export function viewReject(row: RejectRow): RejectView {
  const correction = row.correction as StoredCorrection | null;
  return {
    id: row.reject_id,
    line: row.line,
    byte_offset: row.byte_offset,
    column: row.column_name,
    code: row.code,
    message: row.message,
    value: row.value,
    cluster: row.cause,
    raw: cellsOf(row.item),
    faults: faultsOf(row),
    status: row.status,
    replayed_by: row.replayed_as,
    ...(correction === null
      ? {}
      : {
          correction: {
            cells: correction.cells,
            faults: [...correction.faults],
            by: row.corrected_by,
            at: (row.corrected_at ?? new Date(0)).toISOString(),
          },
        }),
  };
}

export function cellsOf(item: unknown): Record<string, string | null> {
  if (typeof item !== 'object' || item === null) return item === undefined ? {} : { value: textOf(item) };
  const { cells } = item as { cells?: unknown };
  const holder = typeof cells === 'object' && cells !== null ? cells : item;
  return Object.fromEntries(Object.entries(holder).map(([name, value]) => [name, textOf(value)]));
}

/** The row as it would be read now: as it was, with the corrected cells laid over it. */
export function correctedCells(row: Pick<RejectRow, 'item'>, cells: Cells): Record<string, string | null> {
  return { ...cellsOf(row.item), ...cells };
}

function faultsOf(row: RejectRow): Fault[] {
  const all = Array.isArray(row.errors) ? (row.errors as Record<string, unknown>[]) : [];
  const named = all.map((each) => ({
    column: textOf(each.column ?? null),
    code: textOf(each.code ?? row.code) ?? row.code,
    message: textOf(each.message ?? '') ?? '',
    value: textOf(each.value ?? null),
  }));
  return named.length > 0
    ? named
    : [{ column: row.column_name, code: row.code, message: row.message, value: row.value }];
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
