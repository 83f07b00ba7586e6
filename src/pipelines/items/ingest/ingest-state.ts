// How far the file of a job is read: stored with the job in the transaction of its rows, so that a killed attempt, and a retry of the run, go on there.
import type { Content } from '../../../engine/receipt.ts';
import { nothingCounted } from '../../../tabular/content-counter.ts';
import type { DoubtsOnReceipt } from '../../../tabular/doubt-question.ts';
import { type Position, startOfFile } from '../../../tabular/row-batch.ts';
import type { SetAsideFindings } from '../../../tabular/set-aside-watch.ts';

export interface IngestState {
  readonly isRead: boolean;
  readonly position: Position;
  /** Data lines that the reader saw. */
  readonly read: number;
  /** Titles, headers, blank lines, totals, footers. */
  readonly furniture: number;
  readonly content?: Content | undefined;
  /** Rows behind the most that are remembered: copies of them are not recognised. */
  readonly unremembered?: number;
  /** How the fingerprints of the stored rows were made (fingerprint.ts). */
  readonly fingerprints?: number;
  readonly setAside?: SetAsideFindings;
  /** What nobody has confirmed, for the receipt; set when the file is read to its end. */
  readonly noted?: DoubtsOnReceipt;
}

export const freshIngest: IngestState = {
  isRead: false,
  position: startOfFile,
  read: 0,
  furniture: 0,
  content: nothingCounted,
};
