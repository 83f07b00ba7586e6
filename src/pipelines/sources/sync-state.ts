// How far a sync is: what its checkpoint holds.
import type { StageContext } from '../../engine/stage-context.ts';
import type { Place } from '../../sources/place.ts';
import type { SyncInput } from './input.ts';
import type { SourcesDeps } from './sources-deps.ts';
import type { SourceRow } from './sql/sources.ts';

/** The syncs that a source shows; what lies behind them is in the ledger alone. */
export const SYNCS_KEPT = 30;

export interface Counts {
  readonly seen: number;
  readonly new: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly vanished: number;
  /** It may still be growing; it is looked at again. */
  readonly settling: number;
  /** Left out by prefix and patterns. */
  readonly outside: number;
  /** Directories that may not be listed, refused each: with one of them the listing proves no absence. */
  readonly unlisted: number;
  readonly bytes: number;
}

export interface SyncState {
  readonly step: 'list' | 'settle' | 'vanish' | 'done';
  /** The last key whose fate is written in this step. */
  readonly after: string | null;
  readonly counts: Counts;
  /** Taken in by the last commit and perhaps not put away yet: a sync that was killed in between does it first. */
  readonly left?: readonly string[];
  /** When what may be growing is looked at again, in milliseconds. */
  readonly settlesAt?: number | undefined;
}

export const beginning: SyncState = {
  step: 'list',
  after: null,
  counts: {
    seen: 0,
    new: 0,
    changed: 0,
    unchanged: 0,
    refused: 0,
    vanished: 0,
    settling: 0,
    outside: 0,
    unlisted: 0,
    bytes: 0,
  },
};

/** Of what lies in a directory that may not be listed nobody knows whether it is there, nor whether what is missing elsewhere was moved into it. */
export function provesAbsence({ counts }: SyncState): boolean {
  return (counts.unlisted ?? 0) === 0;
}

export type SyncContext = StageContext<SyncInput>;

/** What every step needs. */
export interface SyncJob {
  readonly context: SyncContext;
  readonly deps: SourcesDeps;
  readonly source: SourceRow;
  readonly place: Place;
}

export function added(counts: Counts, more: Partial<Counts>): Counts {
  // By the names of today: a checkpoint may be of a version that knew fewer.
  const names = Object.keys(beginning.counts) as (keyof Counts)[];
  return Object.fromEntries(names.map((name) => [name, (counts[name] ?? 0) + (more[name] ?? 0)])) as unknown as Counts;
}
