import { expect, it } from 'vitest';
import { isBadEnd, outcomeOf } from './outcome-words.ts';

const bar = { open: false, work: { from: 0, to: 1 } };

it('an attempt that was passed on, done, given back, called off or asked a question did not end badly; every other end did', () => {
  const good = ['pass', 'complete', 'part', 'release', 'cancelled', 'ask', 'share', null];
  expect(good.filter(isBadEnd)).toEqual([]);
  expect(['lost', 'failed', 'something new'].map(isBadEnd)).toEqual([true, true, true]);
});

it('an attempt says how it ended in words, also with a word nobody foresaw', () => {
  expect(outcomeOf('lost', bar)).toEqual({ words: '✕ worker lost', look: 'text-bad' });
  expect(outcomeOf('complete', bar).words).toBe('✓ done');
  expect(outcomeOf('split', bar).words).toBe('split');
});

it('an attempt without an end is at work, or waits when it has not begun', () => {
  expect(outcomeOf(null, bar).words).toBe('▶ at work');
  expect(outcomeOf(null, { open: true, work: undefined }).words).toBe('queued');
});
