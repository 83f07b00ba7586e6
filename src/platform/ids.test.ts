import { describe, expect, it } from 'vitest';
import { leastUuidv7, timeOfUuidv7, uuidv7 } from './ids.ts';

describe('uuidv7', () => {
  it('has the form of a version 7 uuid', () => {
    for (let n = 0; n < 1_000; n += 1)
      expect(uuidv7()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('never repeats and never goes backwards, also within one millisecond', () => {
    const ids = Array.from({ length: 20_000 }, () => uuidv7());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual(ids);
  });

  it('never goes backwards when the clock does', () => {
    const ahead = uuidv7(Date.now() + 60_000);
    expect(uuidv7(Date.now()) > ahead).toBe(true);
  });

  it('carries the moment it was made', () => {
    const at = Date.now() + 10 * 60_000;
    expect(timeOfUuidv7(uuidv7(at))).toBe(at);
  });

  it('sorts behind the least of its moment, and before the least of the next', () => {
    const at = Date.now() + 20 * 60_000;
    const id = uuidv7(at);
    expect([leastUuidv7(at) <= id, id < leastUuidv7(at + 1)]).toEqual([true, true]);
  });
});
