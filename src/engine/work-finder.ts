// Where a worker looks for work, and in which order: parts of shared runs, a run that must be worked on alone, the run it was woken for, the round
// over all lanes. A worker that found nothing and that nobody has woken looks with one statement whether there is anything at all.
import type { Pool } from '../platform/database.ts';
import { alreadyLanded, type EarlyRows } from '../platform/early-rows.ts';
import { Claimer } from './claimer.ts';
import { PartClaimer } from './part-claimer.ts';
import type { Registry } from './pipeline.ts';
import type { ClaimedRow } from './sql/claim-runs.ts';
import { lookForWork } from './sql/look-for-work.ts';
import type { Room } from './start-queue.ts';

export interface Found extends EarlyRows<ClaimedRow> {
  /** The only row is to be worked on alone. */
  readonly isAlone: boolean;
}

const SOLO_LOOKS_PER_LEASE = 8;
// A worker empties itself for a run that must be alone for so many leases at the most, and then serves others for three times as long. It begins with
// one look's pause and doubles it: most workers are empty within seconds, and one long run must not keep all other tenants waiting.
const LONGEST_EMPTYING_LEASES = 10;
const OTHERS_SHARE = 3;
// A claim is written in about this time; then who was beaten to a few lanes sees what is left. Longer from time to time: a lock may be held for long.
const BEATEN_MS = 10;

export class WorkFinder {
  readonly #pool: Pool;
  readonly #soloEveryMs: number;
  readonly #longestEmptyingMs: number;
  /** How long the worker may go without new work for the sake of one run, and since when it does. */
  #emptyingMs: number;
  #emptyingSince: number | undefined;
  #servesOthersUntil = Number.NEGATIVE_INFINITY;
  readonly claimer: Claimer;
  readonly parts: PartClaimer;
  /** The queue was empty when last looked at. */
  #foundNothing = false;
  #beatenInRow = 0;
  #lastSoloLook = Number.NEGATIVE_INFINITY;

  constructor(pool: Pool, registry: Registry, leaseMs: number) {
    this.#pool = pool;
    this.#soloEveryMs = leaseMs / SOLO_LOOKS_PER_LEASE;
    this.#longestEmptyingMs = leaseMs * LONGEST_EMPTYING_LEASES;
    this.#emptyingMs = this.#soloEveryMs;
    this.claimer = new Claimer(pool, registry);
    this.parts = new PartClaimer(pool, registry);
  }

  /** How long a worker that found nothing may rest. */
  restMs(pollMs: number): number {
    if (this.claimer.wasBeaten) {
      this.claimer.wasBeaten = false; // Said once: the next rest may have another reason.
      return Math.min(pollMs, BEATEN_MS * 2 ** (this.#beatenInRow - 1));
    }
    return Math.max(1, Math.min(pollMs, this.parts.nextInMs ?? pollMs));
  }

  /** False: a look would find nothing. Who was woken is not asked. */
  async isWorthALook(wasWoken: boolean): Promise<boolean> {
    if (wasWoken || !this.#foundNothing) return true;
    const seen = await lookForWork(this.#pool, this.claimer.pipelines, this.parts.pipelines);
    this.parts.nextInMs = seen.part_in_ms ?? undefined;
    return seen.ready || seen.part_in_ms === 0;
  }

  /**
   * A run that must be worked on alone waits until this worker is empty; the worker empties itself for it now and then. Where a long run keeps it
   * from getting empty it serves others in between: the trouble of one tenant is not that of all.
   */
  async shouldWaitForSolo(isEmpty: boolean): Promise<boolean> {
    const now = performance.now();
    if (isEmpty || !this.#isSoloLookDue() || now < this.#servesOthersUntil) return false;
    if (!(await this.claimer.hasSolo())) {
      this.#lastSoloLook = performance.now();
      this.#forgetEmptying();
      return false;
    }
    this.#emptyingSince ??= now;
    if (now - this.#emptyingSince < this.#emptyingMs) return true;
    this.#servesOthersUntil = now + this.#emptyingMs * OTHERS_SHARE;
    this.#emptyingMs = Math.min(this.#emptyingMs * 2, this.#longestEmptyingMs);
    this.#emptyingSince = undefined;
    return false;
  }

  #forgetEmptying(): void {
    this.#emptyingMs = this.#soloEveryMs;
    this.#emptyingSince = undefined;
  }

  async claimRuns(workerId: string, room: Room, isEmpty: boolean, wasWoken: boolean): Promise<Found> {
    const alone = isEmpty ? await this.#claimAlone(workerId) : [];
    if (alone.length > 0) return { ...alreadyLanded(alone), isAlone: true };
    // Only after a look without result: as a rule, the first lane would be served before all others.
    if (this.#foundNothing && wasWoken) {
      const first = await this.claimer.claimFirst(workerId);
      if (first.rows.length > 0) {
        this.#foundNothing = false;
        return { ...first, isAlone: false };
      }
      // Gives its connection back, which is the warm one.
      await first.landed;
    }
    const rows = await this.claimer.claim(workerId, room.slots, room.ahead);
    this.#beatenInRow = this.claimer.wasBeaten ? this.#beatenInRow + 1 : 0;
    this.#foundNothing = rows.length === 0 && !this.isHalfway && !this.claimer.wasBeaten;
    return { ...alreadyLanded(rows), isAlone: false };
  }

  /** The last look stopped before it had seen all lanes. */
  get isHalfway(): boolean {
    return this.claimer.isHalfway;
  }

  /** Whether a look with this room that finds nothing says that there is nothing. In capped lanes something may wait for an end. */
  sawEverything({ ahead }: Room): boolean {
    return (
      !this.claimer.hasCaps &&
      !this.isHalfway &&
      !this.claimer.wasBeaten &&
      [...ahead.values()].every((limit) => limit > 0)
    );
  }

  async #claimAlone(workerId: string): Promise<ClaimedRow[]> {
    if (!this.#isSoloLookDue()) return [];
    const rows = await this.claimer.claimSolo(workerId);
    this.#lastSoloLook = performance.now();
    this.#forgetEmptying();
    return rows;
  }

  #isSoloLookDue(): boolean {
    return performance.now() - this.#lastSoloLook > this.#soloEveryMs;
  }
}
