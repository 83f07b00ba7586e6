// Decides what to claim next for one worker: plain pipelines in one statement, capped ones lane by lane, and runs that
// must be worked on alone. The claimer remembers for each pipeline which lane had the last turn; the next claim continues behind that lane.
import { type Pool, withTransaction } from '../platform/database.ts';
import { alreadyLanded, type EarlyRows } from '../platform/early-rows.ts';
import { failpoint } from '../platform/failpoints.ts';
import { LookMemory } from './look-memory.ts';
import { Newcomers } from './newcomers.ts';
import type { Registry } from './pipeline.ts';
import { claimRound, type Known, type Turn, type Walk } from './sql/claim-round.ts';
import {
  type Claimant,
  type ClaimedRow,
  claimCappedLane,
  claimFew,
  claimFirst,
  claimRunById,
  claimSolo,
  FEW_RUNS,
  hasSoloRun,
} from './sql/claim-runs.ts';
import { makeClaimable } from './sql/delivered-runs.ts';
import { lockLanes, lockSoloLane } from './sql/lock-lanes.ts';

// Lanes looked at in one capped claim; the cursor goes on from there.
const LANES_PER_LOOK = 64;
// The group of pipelines that share the worker's free slots.
const SLOTS = 0;

interface CappedPipeline {
  readonly name: string;
  readonly cap: number;
}

/** A look round the lanes of a capped pipeline that has found nothing so far. */
interface CappedWalk {
  readonly beganAfter: string;
  /** It has come to the last lane and went on with the first. */
  readonly isSecondHalf: boolean;
}

export class Claimer {
  readonly #pool: Pool;
  readonly #memory = new LookMemory();
  readonly #newcomers = new Newcomers();
  /** In the order of their turns. */
  #plain: readonly string[];
  readonly #capped: readonly CappedPipeline[];
  readonly #announced: readonly string[];
  readonly #cursors = new Map<string, string>();
  /** Of pipelines with many paused lanes: how far round the last look came. */
  readonly #walks = new Map<string, Walk>();
  readonly #cappedWalks = new Map<string, CappedWalk>();
  /** The last claim did not look at all lanes; another one goes on where it stopped. */
  isHalfway = false;
  /** The last claim saw lanes with work and got none of it: other claimers were at them that moment. There may be more in the lanes behind. */
  wasBeaten = false;
  #turn = 0;

  constructor(pool: Pool, registry: Registry) {
    this.#pool = pool;
    const pipelines = [...registry.values()];
    this.#announced = pipelines.filter((p) => p.announce.includes('started')).map((p) => p.name);
    this.#plain = pipelines.filter((p) => p.laneCap === undefined).map((p) => p.name);
    this.#capped = pipelines.flatMap((p) => (p.laneCap === undefined ? [] : [{ name: p.name, cap: p.laneCap }]));
  }

  /** Whether the claim of these has written events. */
  announces(rows: readonly ClaimedRow[]): boolean {
    return this.#announced.length > 0 && rows.some(({ pipeline }) => this.#announced.includes(pipeline));
  }

  get hasCaps(): boolean {
    return this.#capped.length > 0;
  }

  get pipelines(): string[] {
    return [...this.#plain, ...this.#capped.map((pipeline) => pipeline.name)];
  }

  /**
   * Up to `slots` runs of all pipelines together, and of those in `ahead` instead up to the number named there. Each pipeline takes
   * its turn in coming first, since a claim that the first uses up leaves nothing for the others.
   */
  async claim(workerId: string, slots: number, ahead: ReadonlyMap<string, number> = new Map()): Promise<ClaimedRow[]> {
    this.isHalfway = false;
    this.wasBeaten = false;
    const claimed = await this.#claimNewcomers(workerId, ahead);
    let left = slots;
    for (const group of this.#groupsInTurn()) {
      const rows = await (group
        ? this.#claimCapped(workerId, group.name, group.cap, ahead.get(group.name) ?? left)
        : this.#claimPlain(workerId, left, ahead));
      for (const row of rows) if (!ahead.has(row.pipeline)) left -= 1;
      claimed.push(...rows);
    }
    return claimed;
  }

  /** A lane, as a wake-up names it, has just got a few runs: they need not wait until its turn comes. */
  invite(lane: string): void {
    this.#newcomers.add(lane);
  }

  /** Only of pipelines whose runs are short: others hardly notice. Long runs would take the slots that others wait for. */
  #claimNewcomers(workerId: string, ahead: ReadonlyMap<string, number>): Promise<ClaimedRow[]> | ClaimedRow[] {
    const lanes = this.#newcomers.take().filter(({ pipeline }) => {
      return this.#plain.includes(pipeline) && (ahead.get(pipeline) ?? 0) > FEW_RUNS;
    });
    return lanes.length === 0 ? [] : claimFew(this.#pool, this.#claimant(workerId), lanes);
  }

  /** The quick look of a worker that is woken. None does not mean that there is none. */
  async claimFirst(workerId: string): Promise<EarlyRows<ClaimedRow>> {
    if (this.#plain.length === 0) return alreadyLanded([]);
    const known = this.#memory.recall();
    const startedAt = performance.now();
    const first = await claimFirst(this.#pool, this.#claimant(workerId), this.#plain, known.beginAt);
    this.#memory.note(known, first.rows, performance.now() - startedAt, first.rows.length === 0);
    return first;
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

  /** A run that was delivered: also one that is not overdue yet. One that must be worked on alone is left to the queue. */
  claimDelivered(workerId: string, runId: string): Promise<ClaimedRow[]> {
    // In one transaction: in between, others would find it in the queue.
    return withTransaction(this.#pool, async (tx) => {
      await makeClaimable(tx, runId);
      const taken = await claimRunById(tx, this.#claimant(workerId), runId, { solo: false });
      failpoint('claim.before_commit');
      return taken;
    });
  }

  #claimant(workerId: string): Claimant {
    return { workerId, capped: this.#capped.map((pipeline) => pipeline.name), announced: this.#announced };
  }

  /** The plain pipelines (undefined) and each capped one, beginning with the one whose turn it is. */
  #groupsInTurn(): readonly (CappedPipeline | undefined)[] {
    const [plain = [], ...morePlain] = this.#plain.map(() => [undefined]);
    const turns = [...plain, ...this.#capped, ...morePlain.flat()];
    const first = turns[this.#turn % turns.length];
    this.#turn += 1;
    const groups = [...(this.#plain.length > 0 ? [undefined] : []), ...this.#capped];
    const at = groups.indexOf(first);
    return [...groups.slice(at), ...groups.slice(0, at)];
  }

  async #claimPlain(workerId: string, slots: number, ahead: ReadonlyMap<string, number>): Promise<ClaimedRow[]> {
    const turns: Turn[] = this.#plain.map((pipeline, at) => ({
      pipeline,
      afterLane: this.#cursors.get(pipeline) ?? '',
      group: ahead.has(pipeline) ? at + 1 : SLOTS,
      limit: ahead.get(pipeline) ?? slots,
      walk: this.#walks.get(pipeline),
    }));
    const wanted = turns.filter(({ limit }) => limit > 0);
    return wanted.length === 0 ? [] : this.#look(workerId, wanted, this.#memory.recall());
  }

  async #look(workerId: string, turns: readonly Turn[], known: Known): Promise<ClaimedRow[]> {
    const startedAt = performance.now();
    const round = await claimRound(this.#pool, this.#claimant(workerId), turns, known);
    const isBeaten = round.rows.length === 0 && round.turns.length > 0;
    const sawAll = round.walks.length === 0 && !isBeaten;
    this.#memory.note(known, round.rows, performance.now() - startedAt, sawAll && round.rows.length === 0);
    if (round.walks.length > 0) this.isHalfway = true;
    if (isBeaten) this.wasBeaten = true;
    for (const { pipeline } of turns) this.#walks.delete(pipeline);
    for (const walk of round.walks) this.#walks.set(walk.pipeline, walk);
    for (const { pipeline, lane } of round.turns) {
      this.#cursors.set(pipeline, lane);
      this.#walks.delete(pipeline);
    }
    const last = round.turns.filter(({ group }) => group === SLOTS).at(-1);
    if (last) this.#plain = startingAfter(this.#plain, last.pipeline);
    return round.rows;
  }

  async #claimCapped(workerId: string, pipeline: string, cap: number, count: number): Promise<ClaimedRow[]> {
    if (count <= 0) return [];
    const afterLane = this.#cursors.get(pipeline) ?? '';
    const by = this.#claimant(workerId);
    const walk = this.#cappedWalks.get(pipeline) ?? { beganAfter: afterLane, isSecondHalf: false };
    const upTo = walk.isSecondHalf ? walk.beganAfter : undefined;
    const { rows, looked } = await withTransaction(this.#pool, async (tx) => {
      const looked = await lockLanes(tx, { pipeline, afterLane, cap, count: LANES_PER_LOOK, upTo });
      const taken: ClaimedRow[] = [];
      for (const { lane } of looked.lanes.filter(({ mine }) => mine)) {
        if (taken.length >= count) break;
        taken.push(...(await claimCappedLane(tx, by, { pipeline, lane, cap, count: 1 })));
      }
      failpoint('claim.before_commit');
      return { rows: taken, looked };
    });
    // The next look goes on behind the last lane that was served, or behind all that were looked at without result.
    const served = rows.length >= count ? lanesOf(rows, pipeline).at(-1) : undefined;
    this.#cursors.set(pipeline, served ?? looked.stoppedAt ?? '');
    // A cursor may stand behind the last lane that has work.
    const startOver = rows.length === 0 && looked.stoppedAt === undefined && !walk.isSecondHalf && afterLane !== '';
    const isHalfway = rows.length === 0 && (looked.isCut || startOver);
    if (isHalfway) this.#cappedWalks.set(pipeline, { ...walk, isSecondHalf: walk.isSecondHalf || startOver });
    else this.#cappedWalks.delete(pipeline);
    if (isHalfway && !startOver) this.isHalfway = true;
    if (rows.length === 0 && looked.lanes.some(({ mine }) => !mine)) this.wasBeaten = true;
    return startOver ? this.#claimCapped(workerId, pipeline, cap, count) : rows;
  }
}

function startingAfter<T>(ring: readonly T[], last: T): readonly T[] {
  const next = ring.indexOf(last) + 1;
  return [...ring.slice(next), ...ring.slice(0, next)];
}

function lanesOf(rows: readonly ClaimedRow[], pipeline: string): string[] {
  return [...new Set(rows.filter((row) => row.pipeline === pipeline).map((row) => row.lane))].sort();
}
