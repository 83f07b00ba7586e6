import { describe, expect, it } from 'vitest';
import { relativeTime } from './relative-time.ts';

const now = Date.parse('2026-02-15T12:00:00Z');

describe('relative times', () => {
  it('says how long ago in the largest unit that fits', () => {
    expect(relativeTime('2026-02-15T11:59:58Z', now)).toBe('just now');
    expect(relativeTime('2026-02-15T11:56:00Z', now)).toBe('4 min. ago');
    expect(relativeTime('2026-02-14T12:00:00Z', now)).toBe('yesterday');
  });

  it('looks ahead as well as back', () => {
    expect(relativeTime('2026-02-15T12:02:00Z', now)).toBe('in 2 min.');
  });
});
