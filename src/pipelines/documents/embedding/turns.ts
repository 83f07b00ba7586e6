// One at a time, in the order of asking; what is urgent goes before what is not.

export class Turns {
  #isTaken = false;
  readonly #urgent: (() => void)[] = [];
  readonly #others: (() => void)[] = [];

  /** Ends when it is the caller's turn; what it answers with ends the turn. */
  async next(urgent: boolean): Promise<() => void> {
    if (this.#isTaken) await new Promise<void>((resolve) => (urgent ? this.#urgent : this.#others).push(resolve));
    this.#isTaken = true;
    return () => {
      const following = this.#urgent.shift() ?? this.#others.shift();
      // The next caller has the turn already: no other can come between.
      if (following === undefined) this.#isTaken = false;
      else following();
    };
  }
}
