// Begins many short runs in slices, each slice in its own turn of the event loop. Without slices, runs that await nothing would follow each other in one
// turn: 2,000 of them delayed the next claim and the first ends until the last one had begun, and the server was idle meanwhile.

/** So many runs begin in one turn: enough for a batch of ends that is worth its round trip. */
export const SLICE = 500;
/** A claim of so many is worth sending the next one before its first run begins. */
const MANY = 100;

export class Slices {
  readonly #goOn: () => void;
  #begun = 0;
  #next: NodeJS.Immediate | undefined;

  /** `goOn` is called in the next turn when something was not allowed to begin in this one. */
  constructor(goOn: () => void) {
    this.#goOn = goOn;
  }

  /** So many have just been claimed. */
  claimed(count: number): void {
    if (count >= MANY) this.#begun = SLICE;
  }

  /** Whether one more may begin in this turn. */
  mayBegin(): boolean {
    if (this.#begun >= SLICE) {
      this.#next ??= setImmediate(() => {
        this.#next = undefined;
        this.#begun = 0;
        this.#goOn();
      });
      return false;
    }
    this.#begun += 1;
    return true;
  }
}
