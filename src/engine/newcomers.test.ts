import { expect, it } from 'vitest';
import { Newcomers } from './newcomers.ts';

it('a lane that is named comes once, and again only after a second', () => {
  const clock = { ms: 0 };
  const newcomers = new Newcomers(() => clock.ms);
  newcomers.add('ads tenant with spaces');
  newcomers.add('');
  expect(newcomers.take()).toEqual([{ pipeline: 'ads', lane: 'tenant with spaces' }]);
  expect(newcomers.take()).toEqual([]);
  clock.ms = 999;
  newcomers.add('ads tenant with spaces');
  expect(newcomers.take()).toEqual([]);
  clock.ms = 1_000;
  newcomers.add('ads tenant with spaces');
  expect(newcomers.take()).toHaveLength(1);
});

it('a crowd waits for its turn', () => {
  const newcomers = new Newcomers(() => 0);
  for (let number = 0; number < 100; number += 1) newcomers.add(`p lane-${number}`);
  expect(newcomers.take()).toHaveLength(8);
});
