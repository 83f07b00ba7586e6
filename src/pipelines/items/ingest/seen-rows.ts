// Which rows a file has had already, by fingerprints of 48 bits: twelve bytes a row, so that millions fit, and the database is asked about likely copies only.
// A row whose fingerprint was seen is compared there with the row that came first.

/** Beyond it rows are compared with these only. */
const MOST_REMEMBERED = 5_000_000;
const FULL = 0.6;
const FIRST_SLOTS = 4_096;
/** Whatever is expected: 12 MB. */
const MOST_FIRST_SLOTS = 2 ** 20;
const LOW_BITS = 2 ** 32;
/** Of a slot, side by side, because a look at three places of memory costs three times as much: row + 1 (0: it is empty), the low and the high bits. */
const WIDTH = 3;

export interface SeenRowsOptions {
  readonly most?: number | undefined;
  /** Rows that came before and cannot be known any more. */
  readonly unremembered?: number;
  /** About so many will come: it need not grow then. */
  readonly expected?: number;
}

export class SeenRows {
  readonly #most: number;
  #slots: Int32Array;
  #count = 0;
  #unremembered: number;

  constructor({ most = MOST_REMEMBERED, unremembered = 0, expected = 0 }: SeenRowsOptions = {}) {
    this.#most = most;
    this.#unremembered = unremembered;
    let slots = FIRST_SLOTS;
    while (slots * FULL < Math.min(expected, most) && slots < MOST_FIRST_SLOTS) slots *= 2;
    this.#slots = new Int32Array(slots * WIDTH);
  }

  /** Rows that came when it was full, or are not known any more: a later copy of one of them is not recognised. */
  get unremembered(): number {
    return this.#unremembered;
  }

  /** The first row with the fingerprint; undefined: it is new, and known from here on. */
  firstOf(fingerprint: number, row: number): number | undefined {
    const high = Math.floor(fingerprint / LOW_BITS);
    const low = (fingerprint - high * LOW_BITS) | 0;
    const at = placeOf(this.#slots, low, high);
    const known = this.#slots[at] as number;
    if (known !== 0) return known - 1;
    if (this.#count >= this.#most) {
      this.#unremembered += 1;
      return undefined;
    }
    fill(this.#slots, at, row + 1, low, high);
    this.#count += 1;
    if (this.#count * WIDTH > this.#slots.length * FULL) this.#grow();
    return undefined;
  }

  #grow(): void {
    const old = this.#slots;
    const next = new Int32Array(old.length * 2);
    for (let at = 0; at < old.length; at += WIDTH) {
      const row = old[at] as number;
      if (row === 0) continue;
      const [low, high] = [old[at + 1] as number, old[at + 2] as number];
      fill(next, placeOf(next, low, high), row, low, high);
    }
    this.#slots = next;
  }
}

/** Where the fingerprint stands, or would. */
function placeOf(slots: Int32Array, low: number, high: number): number {
  const last = slots.length / WIDTH - 1;
  let slot = low & last;
  for (;;) {
    const at = slot * WIDTH;
    if (slots[at] === 0 || (slots[at + 1] === low && slots[at + 2] === high)) return at;
    slot = (slot + 1) & last;
  }
}

function fill(slots: Int32Array, at: number, row: number, low: number, high: number): void {
  slots[at] = row;
  slots[at + 1] = low;
  slots[at + 2] = high;
}
