// What a cell of the grid shows: the corrected value over the original, and what is wrong with it.
import type { Reject } from './list-rejects.ts';

export interface CellState {
  readonly value: string | null;
  readonly original: string | null;
  readonly changed: boolean;
  readonly fault: string | undefined;
}

export function cellState(reject: Reject, column: string): CellState {
  const original = reject.raw[column] ?? null;
  const corrected = reject.correction?.cells[column];
  return {
    value: corrected === undefined ? original : corrected,
    original,
    changed: corrected !== undefined && (corrected ?? '') !== (original ?? ''),
    fault: faultsOf(reject).find((fault) => fault.column === column)?.message,
  };
}

/** What is wrong now: with the corrected row when there is a correction, else with the row as read. Settled rows have no faults. */
export function faultsOf(reject: Reject): readonly { column: string | null; code: string; message: string }[] {
  if (reject.status === 'replayed' || reject.status === 'resolved') return [];
  if (reject.correction) return reject.correction.faults;
  return reject.faults.length > 0 ? reject.faults : [reject];
}

/** The cells to send after an edit: all that differ from the original. Typing the original back takes that correction away. */
export function cellsAfterEdit(reject: Reject, column: string, value: string): Reject['raw'] {
  const cells = { ...reject.correction?.cells };
  if (value === (reject.raw[column] ?? '')) delete cells[column];
  else cells[column] = value;
  return cells;
}

/** Columns in the order of the file's header, those the causes are about first. What the header does not have comes last. */
export function gridColumns(
  rejects: readonly Reject[],
  leads: readonly string[],
  header: readonly string[] = [],
): string[] {
  const names = new Set<string>();
  for (const reject of rejects.slice(0, 300)) for (const name of Object.keys(reject.raw)) names.add(name);
  for (const reject of rejects.slice(0, 300)) if (reject.column !== null) names.add(reject.column);
  const inOrder = [...header.filter((name) => names.delete(name)), ...names];
  const first = inOrder.filter((name) => leads.includes(name));
  return [...first, ...inOrder.filter((name) => !leads.includes(name))];
}

export type RowState = 'open' | 'ready' | 'faulty' | 'replayed' | 'resolved';

export function rowState(reject: Reject): RowState {
  if (reject.status === 'replayed' || reject.status === 'resolved') return reject.status;
  if (!reject.correction) return reject.status === 'corrected' ? 'ready' : 'open';
  return reject.correction.faults.length > 0 ? 'faulty' : 'ready';
}
