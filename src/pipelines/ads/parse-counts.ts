// The counts and the position of parse: the checkpoint of the stage. Promotion and the receipt use the counts.
import type { Content } from '../../engine/receipt.ts';
import { nothingCounted } from '../../tabular/content-counter.ts';
import type { DoubtsOnReceipt } from '../../tabular/doubt-question.ts';
import { type Position, startOfFile } from '../../tabular/row-batch.ts';
import type { SetAsideFindings } from '../../tabular/set-aside-watch.ts';
import { type ControlMeasure, noSums, type Sums } from './control-totals.ts';

/** A line that is no data, set aside. */
export interface SetAsideRow {
  readonly line: number;
  readonly kind: string;
  readonly text: string;
}

export interface Bucket {
  readonly rows: number;
  readonly sums: Sums;
}

export const emptyBucket: Bucket = { rows: 0, sums: noSums };

export interface ParseCounts {
  /** Data lines the reader saw. */
  readonly read: number;
  readonly valid: number;
  readonly rejected: Bucket;
  /** Same key and same values as an earlier line. */
  readonly superseded: Bucket;
  /** Same key, other segment or values: added to the earlier line. */
  readonly merged: Bucket;
  /** Titles, headers, blank lines, totals, footers. */
  readonly furniture: number;
  /** What the file consists of. Absent in readings that began before contents were counted. */
  readonly content?: Content | undefined;
  readonly warnings: Readonly<Record<string, number>>;
  /** By code, and in words; set when all rows are staged. */
  readonly doubts?: DoubtsOnReceipt['doubts'];
  readonly in_doubt?: DoubtsOnReceipt['in_doubt'];
  /** Sums over all data lines, refused ones included as far as they could be read. */
  readonly file: Sums;
  /** The measures of it that any row has a value for. Absent in readings that began before this was kept. */
  readonly told?: readonly ControlMeasure[];
  /** What the file's own first total row says. */
  readonly declared: Partial<Sums> | null;
  /** Fewer than 90 % were valid and the sender wanted the rest all the same. */
  readonly isGateOverridden: boolean;
}

/** rows: staging · fold: lines with one key · duplicates: writing down the refused ones · done. */
export type ParseStep = 'rows' | 'fold' | 'duplicates' | 'done';

export interface ParseState {
  readonly step: ParseStep;
  readonly position: Position;
  readonly counts: ParseCounts;
  readonly furniture: readonly SetAsideRow[];
  /** What the lines set aside look like. */
  readonly setAside?: SetAsideFindings;
  /** Row index up to which refused duplicates are written down. */
  readonly duplicatesTo: number;
}

export const freshState: ParseState = {
  step: 'rows',
  position: startOfFile,
  counts: {
    read: 0,
    valid: 0,
    rejected: emptyBucket,
    superseded: emptyBucket,
    merged: emptyBucket,
    furniture: 0,
    content: nothingCounted,
    warnings: {},
    file: noSums,
    told: [],
    declared: null,
    isGateOverridden: false,
  },
  furniture: [],
  duplicatesTo: -1,
};

/** At least nine of ten, in integers. */
export function passesGate(counts: Pick<ParseCounts, 'read' | 'valid'>): boolean {
  return counts.valid * 10 >= counts.read * 9;
}
