// What has been said of the items of a slice and is not committed yet. It knows how much that is: answers may have a megabyte each, and a slice thousands of items.
import type { ItemResult, RequestRow } from '../sql/write-results.ts';
import type { Attempted } from './attempt-item.ts';

export interface Taken {
  readonly results: readonly ItemResult[];
  readonly requests: readonly RequestRow[];
}

/** Of answers that wait for a commit, and as much again of those that are being written. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Of a request that is told, about. */
const REQUEST_BYTES = 300;

export class GatheredResults {
  readonly #most: number;
  #results: ItemResult[] = [];
  #requests: RequestRow[] = [];
  #bytes = 0;

  constructor(most = MOST_BYTES) {
    this.#most = most;
  }

  /** Nothing more is to be gathered before some of it is committed. */
  get isFull(): boolean {
    return this.#bytes >= this.#most;
  }

  add({ requests, outcome }: Attempted, result: ItemResult): void {
    this.#results.push(result);
    this.#bytes += outcome.bytes ?? 0;
    if (requests.length === 0) return;
    this.#requests.push(...requests);
    this.#bytes += requests.length * REQUEST_BYTES;
  }

  take(): Taken {
    const taken = { results: this.#results, requests: this.#requests };
    this.#results = [];
    this.#requests = [];
    this.#bytes = 0;
    return taken;
  }
}
