import { expect, it } from 'vitest';
import { makerOf } from './principal.ts';

it.each([
  ['user', 'ada'],
  ['key', 'ada'],
  ['local', undefined],
] as const)('who made a run, asked for by %s: %s', (kind, maker) => {
  expect(makerOf({ kind, actorId: 'ada' })).toBe(maker);
});
