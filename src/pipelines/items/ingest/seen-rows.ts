// Which rows a file has had already, by fingerprints of 48 bits: ten bytes a row, so that millions fit, and the database is asked about likely copies only.
// A row whose fingerprint was seen is compared there with the row that came first.

/** Beyond it rows are compared with these only. */
const MOST_REMEMBERED = 5_000_000;
const FULL = 0.6;
const FIRST_SLOTS = 4_096;
const LOW_BITS = 2 ** 32;

export class SeenRows {
  readonly #most: number;
  #low = new Uint32Array(FIRST_SLOTS);
  #high = new Uint16Array(FIRST_SLOTS);
  /** Row + 1; 0 is an empty slot. */
  #row = new Int32Array(FIRST_SLOTS);
  #count = 0;
  #unremembered: number;

  /** `unremembered`: rows that came before and cannot be known any more. */
  constructor(most = MOST_REMEMBERED, unremembered = 0) {
    this.#most = most;
    this.#unremembered = unremembered;
  }

  /** Rows that came when it was full, or are not known any more: a later copy of one of them is not recognised. */
  get unremembered(): number {
    return this.#unremembered;
  }

  /** The first row with the fingerprint; undefined: it is new, and known from here on. */
  firstOf(fingerprint: number, row: number): number | undefined {
    const low = fingerprint % LOW_BITS;
    const high = Math.floor(fingerprint / LOW_BITS);
    const slot = this.#slotOf(low, high);
    const known = this.#row[slot] ?? 0;
    if (known !== 0) return known - 1;
    if (this.#count >= this.#most) {
      this.#unremembered += 1;
      return undefined;
    }
    this.#fill(slot, low, high, row + 1);
    this.#count += 1;
    if (this.#count > this.#row.length * FULL) this.#grow();
    return undefined;
  }

  #slotOf(low: number, high: number): number {
    const mask = this.#row.length - 1;
    let slot = low & mask;
    while (this.#row[slot] !== 0 && (this.#low[slot] !== low || this.#high[slot] !== high)) slot = (slot + 1) & mask;
    return slot;
  }

  #fill(slot: number, low: number, high: number, row: number): void {
    this.#low[slot] = low;
    this.#high[slot] = high;
    this.#row[slot] = row;
  }

  #grow(): void {
    const [lows, highs, rows] = [this.#low, this.#high, this.#row];
    this.#low = new Uint32Array(rows.length * 2);
    this.#high = new Uint16Array(rows.length * 2);
    this.#row = new Int32Array(rows.length * 2);
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] ?? 0;
      if (row === 0) continue;
      const [low, high] = [lows[at] ?? 0, highs[at] ?? 0];
      this.#fill(this.#slotOf(low, high), low, high, row);
    }
  }
}
