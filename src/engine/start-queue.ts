// The runs a worker has claimed and not yet begun, and how many more it may claim.
//
// Promises: what is claimed can begin soon. How long a stage takes is measured for each pipeline and stage. Runs of short stages are claimed
// ahead, as many as the free slots work off in `AHEAD_MS`; of long stages, and of those nobody has seen yet, never more are held than there
// are slots. What turns out not to begin soon is named by `takeSurplus`, so that the worker can give it back.
//
// Does not start or claim anything itself.
import type { StageRun } from './stage-context.ts';

/** A claimed run should begin within this time; stages longer than that are never claimed ahead. */
const AHEAD_MS = 50;
/** Who has waited for so long, and would wait on, is better off with another worker. */
export const GIVE_BACK_MS = 1_000;
// Weight of the newest measurement in the moving average.
const SMOOTHING = 0.3;
// Claimed ahead at most for each short run seen: one says little, but each further claim on the way to a full one is a round trip.
const TRUST = 16;
// A pipeline that ended a run within this time is at work and shares what may be claimed ahead.
const RECENT_MS = 1_000;

/** What is queued here: an execution, or in tests anything that says which stage of which pipeline it is. */
export interface Startable {
  readonly run: Pick<StageRun, 'pipeline' | 'stage'>;
}

export interface Room {
  /** How many runs of any pipeline that is not in `ahead`, all together. */
  readonly slots: number;
  /** Pipelines of short runs, each with how many. */
  readonly ahead: ReadonlyMap<string, number>;
}

export const noRoom: Room = { slots: 0, ahead: new Map() };

/** All runs of one stage of one pipeline that this worker holds or has seen. */
interface Kind {
  /** Moving average; undefined until one has ended. */
  ms: number | undefined;
  /** How many short ones since they were last long. */
  trust: number;
  /** How many long ones in a row. */
  longInRow: number;
  lastEndAt: number;
  queued: number;
  begun: number;
}

interface Begun {
  readonly kind: Kind;
  readonly at: number;
}

interface Queued<Each> {
  readonly each: Each;
  readonly kind: Kind;
  readonly at: number;
}

export interface StartQueueOptions {
  readonly slots: number;
  readonly maxClaim: number;
  readonly now?: () => number;
}

export class StartQueue<Each extends Startable> {
  readonly #slots: number;
  readonly #maxClaim: number;
  readonly #now: () => number;
  readonly #kinds = new Map<string, Map<string, Kind>>();
  /** Oldest first. */
  #queue: Queued<Each>[] = [];
  #next = 0;
  readonly #begun = new Map<Each, Begun>();

  constructor({ slots, maxClaim, now = () => performance.now() }: StartQueueOptions) {
    this.#slots = slots;
    this.#maxClaim = maxClaim;
    this.#now = now;
  }

  /** Claimed and not begun. */
  get size(): number {
    return this.#queue.length - this.#next;
  }

  /** One claim. Its short runs come first: the long ones would keep the slots from them. */
  add(claim: readonly Each[]): void {
    const at = this.#now();
    const long: Queued<Each>[] = [];
    this.#queue = this.#queue.slice(this.#next);
    this.#next = 0;
    for (const each of claim) {
      const queued = { each, kind: this.#kindOf(each.run), at };
      queued.kind.queued += 1;
      (isShort(queued.kind) ? this.#queue : long).push(queued);
    }
    for (const queued of long) this.#queue.push(queued);
  }

  /** The next one to begin; it counts as begun. */
  shift(): Each | undefined {
    const next = this.#queue[this.#next];
    if (!next) return undefined;
    this.#next += 1;
    next.kind.queued -= 1;
    next.kind.begun += 1;
    this.#begun.set(next.each, { kind: next.kind, at: this.#now() });
    return next.each;
  }

  /** It has ended, or is no longer ours to work on. `isMeasured`: how long it took says something about its stage. */
  remove(each: Each, isMeasured: boolean): void {
    const begun = this.#begun.get(each);
    if (begun) {
      this.#begun.delete(each);
      begun.kind.begun -= 1;
      if (isMeasured) this.#measure(begun.kind, this.#now() - begun.at);
    } else {
      this.#unqueue((queued) => queued !== each);
    }
  }

  /** Removes and returns what has not begun. */
  takeQueued(): Each[] {
    const queued = this.#queue.slice(this.#next).map(({ each }) => each);
    this.#unqueue(() => false);
    return queued;
  }

  /** Forgets what is held; what was measured stays. */
  clear(): void {
    this.#unqueue(() => false);
    for (const { kind } of this.#begun.values()) kind.begun -= 1;
    this.#begun.clear();
  }

  /** What may be claimed now. Claims are worth their round trip only when a good part of the room is free. */
  room(): Room {
    const { slotsLeft, budgetMs, idle } = this.#measureRoom();
    if (slotsLeft <= 0) return noRoom;
    return { slots: Math.min(slotsLeft, this.#maxClaim), ahead: this.#ahead(budgetMs, idle) };
  }

  hasRoom(): boolean {
    return this.#measureRoom().slotsLeft > 0;
  }

  /** Removes and returns what has waited for `GIVE_BACK_MS` and still cannot begin soon. */
  takeSurplus(): Each[] {
    const now = this.#now();
    let slots = this.#slots - this.#longBegun();
    let aheadMs = 0;
    const surplus = new Set<Each>();
    for (const { each, kind, at } of this.#queue.slice(this.#next)) {
      const beginsSoon = slots > 0 && aheadMs / slots <= AHEAD_MS;
      if (!beginsSoon && now - at >= GIVE_BACK_MS) surplus.add(each);
      else if (isShort(kind)) aheadMs += kind.ms ?? 0;
      else slots -= 1;
    }
    if (surplus.size > 0) this.#unqueue((each) => !surplus.has(each));
    return [...surplus];
  }

  #unqueue(keeps: (each: Each) => boolean): void {
    const queued = this.#queue.slice(this.#next);
    for (const { each, kind } of queued) if (!keeps(each)) kind.queued -= 1;
    this.#queue = queued.filter(({ each }) => keeps(each));
    this.#next = 0;
  }

  #kindOf({ pipeline, stage }: Startable['run']): Kind {
    let stages = this.#kinds.get(pipeline);
    if (!stages) {
      stages = new Map();
      this.#kinds.set(pipeline, stages);
    }
    let kind = stages.get(stage);
    if (!kind) {
      kind = { ms: undefined, trust: 0, longInRow: 0, lastEndAt: Number.NEGATIVE_INFINITY, queued: 0, begun: 0 };
      stages.set(stage, kind);
    }
    return kind;
  }

  /** Slots that are taken, or spoken for, for longer than a claim should wait. */
  #longs(): number {
    let longs = this.#longBegun();
    for (const kind of this.#allKinds()) if (!isShort(kind)) longs += kind.queued;
    return longs;
  }

  #longBegun(): number {
    let longs = 0;
    for (const kind of this.#allKinds()) if (!isShort(kind)) longs += kind.begun;
    // Oldest first, so the look ends at the first that is in time.
    for (const { kind, at } of this.#begun.values()) {
      if (this.#now() - at <= AHEAD_MS) break;
      if (isShort(kind)) longs += 1;
    }
    return longs;
  }

  #measureRoom(): { slotsLeft: number; budgetMs: number; idle: number } {
    const slotsLeft = this.#slots - this.#longs();
    const { backlogMs, shortHeld } = this.#shortWork();
    const budgetMs = AHEAD_MS * slotsLeft;
    const idle = slotsLeft - shortHeld;
    if (slotsLeft <= 0 || (backlogMs > budgetMs / 2 && idle <= 0)) return { slotsLeft: 0, budgetMs: 0, idle: 0 };
    return { slotsLeft, budgetMs: Math.max(0, budgetMs - backlogMs), idle: Math.max(0, idle) };
  }

  #shortWork(): { backlogMs: number; shortHeld: number } {
    let backlogMs = 0;
    let shortHeld = 0;
    for (const kind of this.#allKinds()) {
      if (!isShort(kind)) continue;
      backlogMs += kind.queued * (kind.ms ?? 0);
      shortHeld += kind.queued + kind.begun;
    }
    return { backlogMs, shortHeld };
  }

  /** Nobody knows which stage of a pipeline will be claimed, so its longest one counts. */
  #ahead(budgetMs: number, idle: number): Map<string, number> {
    const now = this.#now();
    const short = [...this.#kinds].flatMap(([pipeline, stages]) => {
      const seen = [...stages.values()].filter(({ ms }) => ms !== undefined);
      if (seen.length === 0 || !seen.every(isShort)) return [];
      const ms = Math.max(...seen.map((kind) => kind.ms ?? 0));
      const trust = Math.min(...seen.map((kind) => kind.trust));
      const isActive = seen.some(({ lastEndAt }) => now - lastEndAt <= RECENT_MS);
      return [{ pipeline, ms, trust, isActive }];
    });
    const active = Math.max(1, short.filter(({ isActive }) => isActive).length);
    return new Map(
      short.map(({ pipeline, ms, trust }) => {
        const affordable = Math.min(budgetMs / Math.max(ms, 1e-3), this.#maxClaim) / active;
        return [pipeline, Math.min(Math.max(Math.floor(Math.min(affordable, trust * TRUST)), idle), this.#maxClaim)];
      }),
    );
  }

  /**
   * A process that stands still for a moment (its garbage collection, a busy machine) makes all runs at work look long at once. Therefore a
   * stage that was short is long only when as many in a row were long as can be at work together.
   */
  #measure(kind: Kind, ms: number): void {
    const isLong = ms > AHEAD_MS;
    kind.longInRow = isLong ? kind.longInRow + 1 : 0;
    const isHiccup = isLong && isShort(kind) && kind.longInRow <= this.#slots;
    const counted = isHiccup ? AHEAD_MS : ms;
    kind.ms = kind.ms === undefined ? counted : kind.ms + SMOOTHING * (counted - kind.ms);
    kind.trust = isLong ? (isHiccup ? kind.trust : 0) : kind.trust + 1;
    kind.lastEndAt = this.#now();
  }

  *#allKinds(): Iterable<Kind> {
    for (const stages of this.#kinds.values()) yield* stages.values();
  }
}

function isShort({ ms }: Kind): boolean {
  return ms !== undefined && ms <= AHEAD_MS;
}
