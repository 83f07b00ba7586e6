// The position and the counts of a lane of promotion: plain JSON, the checkpoint of its part.
import type { PromotionBuckets } from './receipt.ts';

export interface PromotedRows {
  readonly buckets: PromotionBuckets;
  /** Days on which a number was inserted or changed. */
  readonly dates: readonly string[];
  /** Rows that had a value in a measure of which the file says nothing; absent in lanes that began before this was counted. */
  readonly emptied?: number;
}

/** How far a lane is; the checkpoint of its part. */
export interface LaneState extends PromotedRows {
  readonly part: string;
  /** The staged row the lane goes on with. */
  readonly nextRow: number;
  /** Exclusive. */
  readonly to: number;
}
