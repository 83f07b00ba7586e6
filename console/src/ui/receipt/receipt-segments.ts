// Turns a receipt into the segments of its bar. The bar is honest: what is not accounted for is a segment of its own, and a
// receipt that claims more than was read is said not to add up.
import type { Receipt } from '../../../../src/contract/api/receipt.ts';
import type { Phase } from '../../app/api.ts';

export interface Segment {
  readonly outcome: string;
  readonly count: number;
  /** Of the whole bar, 0 to 1. */
  readonly share: number;
}

export interface ReceiptBar {
  readonly read: number;
  readonly furniture: number;
  readonly segments: readonly Segment[];
  /** undefined while the run still works: nothing can be judged yet. */
  readonly balanced: boolean | undefined;
  /** read minus the sum of outcomes; negative when more was claimed than read. */
  readonly difference: number;
}

const order = ['inserted', 'updated', 'unchanged', 'merged', 'superseded', 'stale', 'rejected'];

/** Words of jobs and of syncs, which look like what they are among rows that are stored. */
const looks: Readonly<Record<string, string>> = {
  DONE: 'inserted',
  NOT_FOUND: 'stale',
  SKIPPED: 'superseded',
  ERROR: 'rejected',
  new: 'inserted',
  changed: 'updated',
  refused: 'rejected',
};

export const meanings: Readonly<Record<string, string>> = {
  inserted: 'new rows, stored for the first time',
  updated: 'rows that replaced older numbers',
  unchanged: 'rows equal to what was already stored',
  merged: 'rows that describe the same thing and were stored as one',
  superseded: 'rows that say the same as an earlier row of the file',
  stale: 'rows reported earlier than what is stored; not written',
  held_back: 'valid rows that were not stored, because too many others were refused',
  rejected: 'rows that were refused; each can be fixed and replayed',
  removed: 'removed numbers that had no value before',
  restored: 'numbers restored to their former value',
  promoted: 'rows stored',
  through: 'processed rows; the receipt counts their outcomes at the end',
  pending: 'rows not processed yet',
  furniture: 'header, preamble and total lines set aside before counting',
  missing: 'rows that are not accounted for',
};

interface Input {
  readonly receipt: Receipt | null;
  readonly phase: Phase;
  readonly progress: { readonly done: number; readonly total: number | null; readonly unit: string } | null;
}

export function receiptBar({ receipt, phase, progress }: Input): ReceiptBar {
  const running = phase === 'waiting' || phase === 'active';
  const counts = Object.entries(receipt?.outcomes ?? {}).filter(([, count]) => count > 0);
  const sum = counts.reduce((total, [, count]) => total + count, 0);
  const known = running && progress?.unit === 'rows' ? Math.max(progress.total ?? 0, progress.done) : 0;
  const read = Math.max(receipt?.read ?? 0, known);
  // A stage may say how far it is before it says how the rows ended.
  const through = known > 0 && sum === 0 ? Math.min(progress?.done ?? 0, read) : 0;
  if (through > 0) counts.push(['through', through]);
  const difference = read - sum - through;
  if (running && difference > 0) counts.push(['pending', difference]);
  if (!running && receipt !== null && difference > 0) counts.push(['missing', difference]);
  const whole = Math.max(read, sum, 1);
  return {
    read,
    furniture: receipt?.furniture ?? 0,
    segments: counts.sort(byOrder).map(([outcome, count]) => ({ outcome, count, share: count / whole })),
    balanced: running || receipt === null ? undefined : difference === 0,
    difference,
  };
}

function byOrder([a]: [string, number], [b]: [string, number]): number {
  return rank(a) - rank(b);
}

function lookOf(outcome: string): string {
  return looks[outcome] ?? outcome;
}

function rank(outcome: string): number {
  const known = order.indexOf(lookOf(outcome));
  if (known >= 0) return lookOf(outcome) === 'rejected' ? 90 : known;
  return outcome === 'pending' || outcome === 'missing' ? 100 : 50;
}

/** The texture of an outcome; unknown outcomes share one. */
export function outcomeClass(outcome: string): string {
  const look = lookOf(outcome);
  const known = order.includes(look) || ['pending', 'furniture', 'missing'].includes(look);
  return known ? `out out-${look}` : 'out';
}
