/** 0, 1, 2 … up to but not including the length. */
export function numbersTo(length: number): number[] {
  return [...new Array(Math.max(0, length)).keys()];
}
