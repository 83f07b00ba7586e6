// How far a part is. The engine adds up what the parts of a run say, so each says its share of the job: of the items that are done already, and of all items.
import type { PartPlace } from '../../../engine/stage-context.ts';

export class PartProgress {
  readonly total: number;
  #done: number;

  constructor({ index, of }: PartPlace, job: { readonly done: number; readonly total: number }) {
    const share = (whole: number) => Math.floor(whole / of) + (index < whole % of ? 1 : 0);
    this.total = share(job.total);
    this.#done = share(job.done);
  }

  /** A part that is quicker than the others has done more than its share. */
  get done(): number {
    return this.#done;
  }

  add(items: number): void {
    this.#done += items;
  }
}
