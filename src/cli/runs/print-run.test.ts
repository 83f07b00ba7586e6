// A run in words, as lists and the page of a run print it. Not to a terminal, so without colour.
import { expect, it } from 'vitest';
import { describeStatus } from './print-run.ts';

const done = { status: 'completed', phase: 'done' } as const;

it.each([
  ['nothing was refused', { total: 0, open: 0 }, '✔ completed'],
  ['every refused row is open', { total: 1_200, open: 1_200 }, '◑ completed, 1,200 refused'],
  ['the list did not count so many', { total: 1_200, open: null }, '◑ completed, 1,200 refused'],
  ['a replay took some of them', { total: 9, open: 3 }, '◑ completed, 3 of 9 refused rows open'],
  ['a replay took all of them', { total: 9, open: 0 }, '✔ completed, 9 refused, none of them open'],
])('the status of a run says what is still open: %s', (_, rejects, words) => {
  expect(describeStatus({ ...done, rejects })).toBe(words);
});

it('a run that has not ended well says its status alone', () => {
  expect(describeStatus({ status: 'failed', phase: 'failed', rejects: { total: 9, open: 9 } })).toBe('✖ failed');
});
