// Random numbers that a seed repeats: a failing run can be run again, and becomes a test.

export interface Random {
  readonly seed: number;
  /** 0 ≤ n < 1 */
  next(): number;
  /** from ≤ n ≤ to */
  between(from: number, to: number): number;
  pick<T>(values: readonly T[]): T;
  chance(share: number): boolean;
}

/** mulberry32 */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    seed,
    next,
    between,
    pick: <T>(values: readonly T[]) => values[between(0, values.length - 1)] as T,
    chance: (share) => next() < share,
  };
}
