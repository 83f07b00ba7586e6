import { expect, it } from 'vitest';
import { everyOf, hoursOf, secondsOf } from './connector-interval.ts';

it('an interval is typed in hours; none means as often as the plan allows', () => {
  expect([secondsOf('6'), secondsOf(' '), secondsOf('1.5')]).toEqual([21_600, null, 5_400]);
  expect([hoursOf(21_600), hoursOf(null), hoursOf(5_400)]).toEqual(['6', '', '1.5']);
});

it('an interval is said in hours, or in days where it is so long', () => {
  expect([3_600, 21_600, 86_400, 604_800].map(everyOf)).toEqual([
    'every 1 h',
    'every 6 h',
    'every day',
    'every 7 days',
  ]);
});
