import { expect, it } from 'vitest';
import { createRefusalBudget } from './refusal-budget.ts';

it('an address may write twenty refusals a minute, each address for itself', () => {
  let nowMs = 0;
  const mayWrite = createRefusalBudget(() => nowMs);
  const written = (address: string) => Array.from({ length: 50 }, () => mayWrite(address)).filter(Boolean).length;
  expect(written('192.0.2.1')).toBe(20);
  expect(written('192.0.2.2')).toBe(20);
  nowMs = 60_000;
  expect(written('192.0.2.1')).toBe(20);
});

it('remembers a bounded number of addresses', () => {
  const mayWrite = createRefusalBudget(() => 0);
  for (let n = 0; n < 20; n++) mayWrite('first');
  expect(mayWrite('first')).toBe(false);
  for (let n = 0; n < 10_000; n++) mayWrite(`address ${n}`);
  expect(mayWrite('first')).toBe(true);
});
