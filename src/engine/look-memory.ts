// What a claimer remembers of the queue, so that its looks need not step over what is known to be gone.
//
// The queue's index is cleared of claimed runs in the background, except while somebody keeps an old snapshot open: then every look
// steps over all runs that were claimed meanwhile (measured: 200,000 of them slow a drain down to a seventh). The memory says where to
// begin instead. It can be wrong: a released run comes back with its old id, and a slow commit brings ids from before. Therefore a thorough
// look, without memory, follows after twenty times what the last one took, so that thorough looks never take more than a twentieth
// of the time and nothing waits for long; where they are quick, every look is thorough.

import { type Known, markKey, nothingKnown } from './sql/claim-round.ts';
import type { ClaimedRow } from './sql/claim-runs.ts';

const THOROUGH_SHARE = 20;
const MAX_PAUSE_MS = 5_000;
// A look that steps over little takes less than this, with what its runs take: it is not worth remembering anything.
const QUICK_LOOK_MS = 10;
const MS_PER_RUN = 0.05;
// Who took fewer runs than this has not left enough behind to be worth remembering.
const LEAST_TAKEN = 1_000;
// Ids are made when a run is submitted, and become visible when it is committed.
const COMMIT_MS = 1_000;
// More lanes than this are not remembered one by one.
const MAX_MARKS = 5_000;

export class LookMemory {
  readonly #now: () => number;
  readonly #marks = new Map<string, readonly [number, string]>();
  #taken = 0;
  #newest = nothingKnown.beginAt;
  #beginAt = nothingKnown.beginAt;
  #thoroughUntil = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** What the next look may use; nothing when it should be thorough. */
  recall(): Known {
    const isThorough = this.#taken < LEAST_TAKEN || this.#now() >= this.#thoroughUntil;
    return isThorough ? nothingKnown : { beginAt: this.#beginAt, marks: Object.fromEntries(this.#marks) };
  }

  /** A look took `ms` and these runs; `isDry` when it saw that nothing is left. */
  note(known: Known, rows: readonly ClaimedRow[], ms: number, isDry: boolean): void {
    if (known === nothingKnown) {
      const isQuick = ms <= QUICK_LOOK_MS + rows.length * MS_PER_RUN;
      this.#thoroughUntil = this.#now() + (isQuick ? 0 : Math.min(ms * THOROUGH_SHARE, MAX_PAUSE_MS));
      this.#marks.clear();
      this.#beginAt = isDry ? earlier(this.#newest, COMMIT_MS) : nothingKnown.beginAt;
    }
    this.#taken += rows.length;
    // Rows of a lane stand together: the last of them is the furthest.
    let last: ClaimedRow | undefined;
    for (const row of rows) {
      if (row.id > this.#newest) this.#newest = row.id;
      if (last && !isBehind(row, last)) this.#mark(last);
      last = row;
    }
    if (last) this.#mark(last);
  }

  #mark({ pipeline, lane, priority, id }: ClaimedRow): void {
    const key = markKey(pipeline, lane);
    const mark = this.#marks.get(key);
    if (!mark && this.#marks.size >= MAX_MARKS) return;
    if (!mark || priority > mark[0] || (priority === mark[0] && id > mark[1])) this.#marks.set(key, [priority, id]);
  }
}

/** Whether it is a later run of the same lane. */
function isBehind(row: ClaimedRow, other: ClaimedRow): boolean {
  const isSameLane = row.lane === other.lane && row.pipeline === other.pipeline;
  return isSameLane && (row.priority > other.priority || (row.priority === other.priority && row.id > other.id));
}

/** The smallest id that can have been made `ms` before a given one (a uuid of version 7 begins with its time). */
function earlier(id: string, ms: number): string {
  const time = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  const hex = Math.max(0, time - ms)
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
