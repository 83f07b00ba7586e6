// Claims open parts of runs that are shared, for one worker: a part at a time, pipeline by pipeline and lane by lane, never ahead. Costs nothing where
// no pipeline shares its runs.
import type { Pool } from '../platform/database.ts';
import { failpoint } from '../platform/failpoints.ts';
import type { Registry } from './pipeline.ts';
import type { ClaimedRow } from './sql/claim-runs.ts';
import { claimPart, type PartClaimant } from './sql/parts.ts';

export class PartClaimer {
  readonly #pool: Pool;
  readonly #pipelines: readonly string[];
  readonly #capped: readonly string[];
  readonly #cursors = new Map<string, string>();
  #turn = 0;

  constructor(pool: Pool, registry: Registry) {
    this.#pool = pool;
    const all = [...registry.values()];
    this.#pipelines = all
      .filter(({ stages }) => Object.values(stages).some((stage) => stage.parts !== undefined))
      .map(({ name }) => name);
    this.#capped = all.filter(({ laneCap }) => laneCap !== undefined).map(({ name }) => name);
  }

  claimant(workerId: string): PartClaimant {
    return { workerId, capped: this.#capped };
  }

  /** Half of the free slots at the most: runs that wait have a claim to the others. What they leave is taken at the next look. */
  async claim(workerId: string, freeSlots: number): Promise<ClaimedRow[]> {
    const claimed: ClaimedRow[] = [];
    const wanted = Math.ceil(freeSlots / 2);
    let inVain = 0;
    while (claimed.length < wanted && inVain < this.#pipelines.length) {
      const pipeline = this.#pipelines[this.#turn % this.#pipelines.length] as string;
      this.#turn += 1;
      const row = await this.#claimFrom(pipeline, workerId);
      if (row) claimed.push(row);
      inVain = row ? 0 : inVain + 1;
    }
    if (claimed.length > 0) failpoint('claim.after_commit');
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
