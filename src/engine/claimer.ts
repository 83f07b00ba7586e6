// Decides what to claim next for one worker: plain pipelines in one statement, capped ones lane by lane, and runs that
// must be worked on alone. Keeps the round-robin cursors.
import { type Pool, withTransaction } from '../platform/database.ts';
import { alreadyLanded, type EarlyRows } from '../platform/early-rows.ts';
import { failpoint } from '../platform/failpoints.ts';
import type { Registry } from './pipeline.ts';
import {
  type Claimant,
  type ClaimedRow,
  claimCappedLane,
  claimFirst,
  claimRunById,
  claimRuns,
  claimSolo,
  hasSoloRun,
} from './sql/claim-runs.ts';
import { lockLanes, lockSoloLane } from './sql/lock-lanes.ts';

// Lanes looked at in one capped claim; the cursor goes on from there.
const LANES_PER_LOOK = 64;

export class Claimer {
  readonly #pool: Pool;
  readonly #plain: readonly string[];
  readonly #capped: readonly { name: string; cap: number }[];
  readonly #announced: readonly string[];
  readonly #cursors = new Map<string, string>();
  #turn = 0;

  constructor(pool: Pool, registry: Registry) {
    this.#pool = pool;
    const pipelines = [...registry.values()];
    this.#announced = pipelines.filter((p) => p.announce.includes('started')).map((p) => p.name);
    this.#plain = pipelines.filter((p) => p.laneCap === undefined).map((p) => p.name);
    this.#capped = pipelines.flatMap((p) => (p.laneCap === undefined ? [] : [{ name: p.name, cap: p.laneCap }]));
  }

  get pipelines(): string[] {
    return [...this.#plain, ...this.#capped.map((pipeline) => pipeline.name)];
  }

  /**
   * Up to `count` runs, fewer when there are not more. Plain pipelines and each capped one take turns in coming first: a claim
   * that the first uses up leaves nothing for the others.
   */
  async claim(workerId: string, count: number): Promise<ClaimedRow[]> {
    const claimed: ClaimedRow[] = [];
    const groups = [undefined, ...this.#capped];
    const first = this.#turn % groups.length;
    this.#turn += 1;
    for (const group of [...groups.slice(first), ...groups.slice(0, first)]) {
      const left = count - claimed.length;
      if (left <= 0) break;
      if (group) claimed.push(...(await this.#claimCapped(workerId, group.name, group.cap, left)));
      else if (this.#plain.length > 0) claimed.push(...(await this.#claimPlain(workerId, left)));
    }
    return claimed;
  }

  /** The quick look of a worker that is woken. None does not mean that there is none. */
  async claimFirst(workerId: string): Promise<EarlyRows<ClaimedRow>> {
    if (this.#plain.length === 0) return alreadyLanded([]);
    return claimFirst(this.#pool, this.#claimant(workerId), this.#plain);
  }

  /** One run that took its worker down several times; to be worked on alone. The cap of its lane holds for it, too. */
  async claimSolo(workerId: string): Promise<ClaimedRow[]> {
    const by = this.#claimant(workerId);
    const rows = await claimSolo(this.#pool, by, this.#plain);
    if (rows.length > 0 || this.#capped.length === 0) return rows;
    return withTransaction(this.#pool, async (tx) => {
      const lane = await lockSoloLane(tx, this.#capped);
      const taken = lane ? await claimCappedLane(tx, by, { ...lane, count: 1, solo: true }) : [];
      failpoint('claim.before_commit');
      return taken;
    });
  }

  /** Whether a run waits to be worked on alone. */
  hasSolo(): Promise<boolean> {
    return hasSoloRun(this.#pool, this.pipelines);
  }

  claimById(workerId: string, runId: string): Promise<ClaimedRow[]> {
    return claimRunById(this.#pool, this.#claimant(workerId), runId);
  }

  #claimant(workerId: string): Claimant {
    return { workerId, capped: this.#capped.map((pipeline) => pipeline.name), announced: this.#announced };
  }

  async #claimPlain(workerId: string, count: number): Promise<ClaimedRow[]> {
    const afterLanes = this.#plain.map((name) => this.#cursors.get(name) ?? '');
    const rows = await claimRuns(this.#pool, this.#claimant(workerId), { pipelines: this.#plain, afterLanes, count });
    for (const name of this.#plain) this.#moveCursor(name, lanesOf(rows, name), count);
    // A cursor may stand behind the last lane that has work.
    const startedMidway = afterLanes.some((lane) => lane !== '');
    if (rows.length === 0 && startedMidway) return this.#claimPlain(workerId, count);
    return rows;
  }

  async #claimCapped(workerId: string, pipeline: string, cap: number, count: number): Promise<ClaimedRow[]> {
    const afterLane = this.#cursors.get(pipeline) ?? '';
    const by = this.#claimant(workerId);
    const { rows, lanes } = await withTransaction(this.#pool, async (tx) => {
      const looked = await lockLanes(tx, { pipeline, afterLane, cap, count: LANES_PER_LOOK });
      const taken: ClaimedRow[] = [];
      for (const { lane } of looked.filter(({ mine }) => mine)) {
        if (taken.length >= count) break;
        taken.push(...(await claimCappedLane(tx, by, { pipeline, lane, cap, count: 1 })));
      }
      failpoint('claim.before_commit');
      return { rows: taken, lanes: looked };
    });
    // The next look goes on behind the last lane that was served, or behind all that were looked at in vain.
    const served = rows.length >= count ? lanesOf(rows, pipeline).at(-1) : undefined;
    const seen = lanes.length === LANES_PER_LOOK ? lanes.at(-1)?.lane : undefined;
    this.#cursors.set(pipeline, served ?? seen ?? '');
    // A cursor may stand behind the last lane that has work.
    const startOver = rows.length === 0 && afterLane !== '' && seen === undefined;
    return startOver ? this.#claimCapped(workerId, pipeline, cap, count) : rows;
  }

  /** Only a claim that was used up by lanes has lanes left behind it. */
  #moveCursor(pipeline: string, lanes: readonly string[], count: number): void {
    this.#cursors.set(pipeline, lanes.length >= count ? (lanes.at(-1) ?? '') : '');
  }
}

function lanesOf(rows: readonly ClaimedRow[], pipeline: string): string[] {
  return [...new Set(rows.filter((row) => row.pipeline === pipeline).map((row) => row.lane))].sort();
}
