// The position and the counts of an import: the checkpoint of its one stage. The receipt is written from them.
import type { Content, Receipt } from '../../engine/receipt.ts';
import { nothingCounted } from '../../tabular/content-counter.ts';
import type { DoubtsOnReceipt } from '../../tabular/doubt-question.ts';
import { type Position, startOfFile } from '../../tabular/row-batch.ts';
import type { SetAsideFindings } from '../../tabular/set-aside-watch.ts';

export interface ReadCounts {
  /** Data lines the reader saw. */
  readonly read: number;
  /** Cases in staging. */
  readonly staged: number;
  readonly rejected: number;
  /** The same case again, with the same values. */
  readonly superseded: number;
  /** Titles, headers, blank lines, totals, footers. */
  readonly furniture: number;
  /** What the file consists of. Absent in readings that began before contents were counted. */
  readonly content?: Content | undefined;
  readonly warnings: Readonly<Record<string, number>>;
  /** What the lines set aside look like. */
  readonly setAside?: SetAsideFindings;
}

export interface LoadCounts {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly plaintiffs: number;
  readonly reviews: number;
}

export interface ImportState {
  /** rows: the file is being read into staging · load: staging is being stored · done. */
  readonly step: 'rows' | 'load' | 'done';
  readonly position: Position;
  readonly counts: ReadCounts;
  readonly loaded: LoadCounts;
}

/** Where a lane of storing stands: plain JSON, the checkpoint of its part. */
export interface LaneState extends LoadCounts {
  readonly part: string;
  /** Plaintiffs are known for the rows before this one. */
  readonly nextPerson: number;
  /** The staged row that storing goes on with. */
  readonly nextRow: number;
  /** Exclusive. */
  readonly to: number;
}

export const freshState: ImportState = {
  step: 'rows',
  position: startOfFile,
  counts: { read: 0, staged: 0, rejected: 0, superseded: 0, furniture: 0, content: nothingCounted, warnings: {} },
  loaded: { inserted: 0, updated: 0, unchanged: 0, plaintiffs: 0, reviews: 0 },
};

/** `heldBack`: cases that stay in staging. */
export function receiptOf({ counts, loaded }: ImportState, doubts: DoubtsOnReceipt, heldBack = 0): Receipt {
  const { inserted, updated, unchanged } = loaded;
  const { superseded, rejected } = counts;
  const all = { inserted, updated, unchanged, superseded, held_back: heldBack, rejected };
  const outcomes = Object.entries(all).filter(([, rows]) => rows > 0);
  return {
    read: counts.read,
    outcomes: Object.fromEntries(outcomes),
    furniture: counts.furniture,
    ...(counts.content === undefined ? {} : { content: counts.content }),
    ...doubts,
    warnings: counts.warnings,
    plaintiffs: loaded.plaintiffs,
    reviews: loaded.reviews,
  };
}
