// Claims open parts of runs that are shared, for one worker: a part at a time, pipeline by pipeline and lane by lane, never ahead. Costs nothing where
// no pipeline shares its runs. Knows when the next part may be claimed, so that none waits for the poll interval.
import type { Pool } from '../platform/database.ts';
import { failpoint } from '../platform/failpoints.ts';
import type { Registry } from './pipeline.ts';
import type { ClaimedRow } from './sql/claim-runs.ts';
import { nextPartIn } from './sql/look-for-work.ts';
import { claimPart, type PartClaimant } from './sql/parts.ts';

// A part is passed over while somebody else changes its run; that takes milliseconds, and nobody is woken when it is over.
const PASSED_OVER_MS = 100;

export class PartClaimer {
  readonly #pool: Pool;
  /** Whose runs are shared. */
  readonly pipelines: readonly string[];
  readonly #capped: readonly string[];
  readonly #cursors = new Map<string, string>();
  #turn = 0;
  /** When the next open part may be claimed, as far as the last look saw; undefined: nobody knows of one. */
  nextInMs: number | undefined;

  constructor(pool: Pool, registry: Registry) {
    this.#pool = pool;
    const all = [...registry.values()];
    this.pipelines = all
      .filter(({ stages }) => Object.values(stages).some((stage) => stage.parts !== undefined))
      .map(({ name }) => name);
    this.#capped = all.filter(({ laneCap }) => laneCap !== undefined).map(({ name }) => name);
  }

  claimant(workerId: string): PartClaimant {
    return { workerId, capped: this.#capped };
  }

  /** Half of the free slots at the most: runs that wait have a claim to the others. What they leave is taken at the next look. */
  async claim(workerId: string, freeSlots: number): Promise<ClaimedRow[]> {
    const wanted = Math.ceil(freeSlots / 2);
    this.nextInMs = undefined;
    if (this.pipelines.length === 0 || wanted === 0) return [];
    const nextInMs = await nextPartIn(this.#pool, this.pipelines);
    if (nextInMs !== 0) {
      this.nextInMs = nextInMs ?? undefined;
      return [];
    }
    const claimed = await this.#claimDue(workerId, wanted);
    if (claimed.length < wanted) this.nextInMs = PASSED_OVER_MS;
    if (claimed.length > 0) failpoint('claim.after_commit');
    return claimed;
  }

  async #claimDue(workerId: string, wanted: number): Promise<ClaimedRow[]> {
    const claimed: ClaimedRow[] = [];
    let inVain = 0;
    while (claimed.length < wanted && inVain < this.pipelines.length) {
      const pipeline = this.pipelines[this.#turn % this.pipelines.length] as string;
      this.#turn += 1;
      const row = await this.#claimFrom(pipeline, workerId);
      if (row) claimed.push(row);
      inVain = row ? 0 : inVain + 1;
    }
    return claimed;
  }

  async #claimFrom(pipeline: string, workerId: string): Promise<ClaimedRow | undefined> {
    const afterLane = this.#cursors.get(pipeline) ?? '';
    const row = await claimPart(this.#pool, this.claimant(workerId), { pipeline, afterLane });
    this.#cursors.set(pipeline, row?.lane ?? '');
    // The cursor may stand behind the last lane that has an open part.
    return row || afterLane === '' ? row : this.#claimFrom(pipeline, workerId);
  }
}
