// The evidence for and against a decision of the reader (weighed in decision.ts), and what the reader set aside: a span of the file with its reason,
// so that a receipt can count every byte and the run can ask a person about a doubt. Plain JSON throughout; imports nothing.

export interface Evidence {
  readonly for: readonly string[];
  readonly against: readonly string[];
}

/** The best answer that was not chosen. */
export interface Rival {
  readonly says: string;
  /** 0 to 1, on the same scale as the decision's own. */
  readonly certainty: number;
}

/** Something seen in the file. Positive weights speak for, negative against; 1 is a hint, 3 nearly decides. */
export interface Clue {
  readonly says: string;
  readonly weight: number;
}

/** Why a part of the file is no row. */
const setAsideReasons = ['blank', 'title', 'note', 'total', 'repeated_header', 'other_table'] as const;
export type SetAsideReason = (typeof setAsideReasons)[number];

/** A part of the file that is no row: bytes of the original (for a workbook, the rows of the sheet, counted from 0). */
export interface SetAsideSpan {
  readonly reason: SetAsideReason;
  readonly from: number;
  /** The first byte behind it. */
  readonly to: number;
  readonly line: number;
  /** How it starts, for a person to recognise it. */
  readonly text: string;
  /** How many rows or records it would be if it were read; 0 where it is none. */
  readonly rows: number;
}
