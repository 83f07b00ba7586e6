// When the deliverer repeats a failed delivery. All attempts together span about three days.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pause before the next try, by how many have failed. When the table is at its end the delivery has failed. */
export const retryTableMs: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Up to this share earlier or later, so that a receiver that comes back is not met by everything at once. */
const jitterShare = 0.2;

/** Undefined when there is no further try. `random` is 0 to 1. */
export function pauseBeforeTry(
  step: number,
  table: readonly number[] = retryTableMs,
  random: number = Math.random(),
): number | undefined {
  const pause = table[step];
  return pause === undefined ? undefined : Math.round(pause * (1 + jitterShare * (2 * random - 1)));
}
