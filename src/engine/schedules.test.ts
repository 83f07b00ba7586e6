import { expect, it } from 'vitest';
import { nextFiring } from './schedules.ts';

const firings = (cron: string, timeZone: string, after: string, count: number): string[] => {
  const found: string[] = [];
  let at = new Date(after);
  for (let number = 0; number < count; number += 1) {
    at = nextFiring({ name: 'test', cron, timeZone, jitterSeconds: 0, seed: 'test' }, at);
    found.push(at.toISOString());
  }
  return found;
};

it('a schedule in the hour that summer time skips fires once that night, and at its hour again after it', () => {
  expect(firings('30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00:00Z', 2)).toEqual([
    '2027-03-28T01:00:00.000Z',
    '2027-03-29T00:30:00.000Z',
  ]);
});

it('a schedule in the hour that comes twice when summer time ends fires once that night', () => {
  expect(firings('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
});

it('an hourly schedule fires in both of the hours that have one name', () => {
  expect(firings('0 * * * *', 'America/New_York', '2026-11-01T04:30:00Z', 3)).toEqual([
    '2026-11-01T05:00:00.000Z',
    '2026-11-01T06:00:00.000Z',
    '2026-11-01T07:00:00.000Z',
  ]);
});
