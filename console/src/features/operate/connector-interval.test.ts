import { expect, it } from 'vitest';
import { hoursOf, secondsOf } from './connector-interval.ts';

it('an interval is typed in hours; none means as often as the plan allows', () => {
  expect([secondsOf('6'), secondsOf(' '), secondsOf('1.5')]).toEqual([21_600, null, 5_400]);
  expect([hoursOf(21_600), hoursOf(null), hoursOf(5_400)]).toEqual(['6', '', '1.5']);
});
