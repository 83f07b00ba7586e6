// A process that is not given its turn by a busy machine is waited for; one that stands still, or has had its time, is not.
import { expect, it } from 'vitest';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { AnswerClock, cpuMsOf } from './answer-clock.ts';

const LIMIT_MS = 20;

/** What the process has taken at each look; the last one stays. How often the clock looked until its time was over. */
async function looksUntilOver(taken: readonly (number | undefined)[]): Promise<number> {
  let looks = 0;
  let isOver = false;
  const read = () => taken[Math.min(looks++, taken.length - 1)];
  const clock = new AnswerClock(LIMIT_MS, read, () => {
    isOver = true;
  });
  clock.start();
  await waitFor(async () => isOver || undefined, { what: 'its time to be over' });
  // The first look is at the beginning.
  return looks - 1;
}

it('time is over for a process that stands still, that has had its time, or of which nobody knows what it takes', async () => {
  expect(await looksUntilOver([5])).toBe(1);
  expect(await looksUntilOver([5, 5 + LIMIT_MS])).toBe(1);
  expect(await looksUntilOver([undefined])).toBe(1);
});

it('a process that gets on slowly is waited for until it has had its time, stands still, or fifteen times the limit is over', async () => {
  expect(await looksUntilOver([100, 105, 110, 115, 120])).toBe(4);
  expect(await looksUntilOver([100, 105, 105])).toBe(2);
  expect(await looksUntilOver(Array.from({ length: 100 }, (_, at) => at * 0.1))).toBe(15);
});

it('a sign of activity starts the time again', async () => {
  // Twice at a beginning; then it has taken 5 since the second one, and 105 since the first.
  const taken = [100, 200, 205, 205];
  let looks = 0;
  let isOver = false;
  const clock = new AnswerClock(
    LIMIT_MS,
    () => taken[looks++],
    () => {
      isOver = true;
    },
  );
  clock.start();
  clock.start();
  await waitFor(async () => isOver || undefined, { what: 'its time to be over' });
  expect(looks).toBe(4);
});

it.runIf(process.platform === 'linux')(
  'what a process takes is read from the system, and grows with what it does',
  async () => {
    const before = cpuMsOf(process.pid);
    expect(before).toEqual(expect.any(Number));
    await waitFor(async () => {
      for (let at = 0; at < 1e6; at++) Math.sqrt(at);
      return Number(cpuMsOf(process.pid)) > Number(before) || undefined;
    });
    expect(cpuMsOf(undefined)).toBeUndefined();
  },
);
