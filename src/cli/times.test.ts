import { describe, expect, it } from 'vitest';
import { formatDuration, relativeTime } from './times.ts';

const now = Date.parse('2026-02-15T12:00:00Z');

describe('times in words', () => {
  it('a moment is told by its distance, in the largest unit that fits', () => {
    expect(relativeTime('2026-02-15T11:59:58Z', now)).toBe('2 s ago');
    expect(relativeTime('2026-02-15T11:01:00Z', now)).toBe('59 min ago');
    expect(relativeTime('2026-02-13T12:00:00Z', now)).toBe('2 d ago');
    expect(relativeTime('2026-02-15T14:30:00Z', now)).toBe('in 2 h');
    expect(relativeTime(new Date(now + 400), now)).toBe('now');
  });

  it('a duration keeps the precision a person can use', () => {
    expect([840, 12_430, 200_400, 119_800].map(formatDuration)).toEqual([
      '840 ms',
      '12.4 s',
      '3 min 20 s',
      '2 min 0 s',
    ]);
  });
});
