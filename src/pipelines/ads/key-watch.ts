// Notices whether a key may have come twice, without asking the database. 52 bits of each hash are kept, up to a limit, so it can be
// wrong in one direction only: what it calls distinct is distinct.

const INITIAL_SLOTS = 1 << 13;
/** 4 MB. Larger files are checked by the database, which they keep busy for minutes anyway. */
const MAX_SLOTS = 1 << 19;
const MAX_LOAD = 0.75;
const KEPT_HEX_DIGITS = 13;
const HIGH_HEX_DIGITS = 6;
const LOW_BITS = 28;

export class KeyWatch {
  /** Open addressing; 0 is a free slot. */
  #slots: Float64Array<ArrayBuffer> = new Float64Array(INITIAL_SLOTS);
  #kept = 0;
  #mayRepeat = false;

  get mayRepeat(): boolean {
    return this.#mayRepeat;
  }

  /** A SHA-256 in hex. */
  add(hash: string): void {
    if (this.#mayRepeat) return;
    if (this.#kept >= this.#slots.length * MAX_LOAD && !this.#grow()) this.giveUp();
    else if (place(this.#slots, keyOf(hash))) this.#kept++;
    else this.giveUp();
  }

  /** Keys went by unseen, or there are too many: nothing can be said. */
  giveUp(): void {
    this.#mayRepeat = true;
    this.#slots = new Float64Array(0);
  }

  #grow(): boolean {
    if (this.#slots.length >= MAX_SLOTS) return false;
    const larger = new Float64Array(this.#slots.length * 2);
    for (const key of this.#slots) if (key !== 0) place(larger, key);
    this.#slots = larger;
    return true;
  }
}

/** The kept digits as a number; a third of the time that parseInt takes, which needs a text of its own. */
function keyOf(hash: string): number {
  let high = 0;
  for (let i = 0; i < HIGH_HEX_DIGITS; i++) high = (high << 4) | hexDigit(hash.charCodeAt(i));
  let low = 0;
  for (let i = HIGH_HEX_DIGITS; i < KEPT_HEX_DIGITS; i++) low = (low << 4) | hexDigit(hash.charCodeAt(i));
  return high * 2 ** LOW_BITS + low;
}

/** Of 0-9 and a-f. */
function hexDigit(code: number): number {
  return code < 97 ? code - 48 : code - 87;
}

/** False when it was there. */
function place(slots: Float64Array, key: number): boolean {
  const mask = slots.length - 1;
  // A key of 0 would look like a free slot; counted as a repetition it costs one look of the database.
  if (key === 0) return false;
  // The low 32 bits: `%` of numbers this large is a division in floating point.
  for (let at = (key | 0) & mask; ; at = (at + 1) & mask) {
    const found = slots[at];
    if (found === 0) {
      slots[at] = key;
      return true;
    }
    if (found === key) return false;
  }
}
