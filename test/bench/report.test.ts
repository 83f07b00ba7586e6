import { describe, expect, it } from 'vitest';
import { performancePage } from '../../scripts/pages/performance-page.ts';
import { median, percentile, printFigures, rate, time } from './report.ts';

describe('a figure', () => {
  it('is the median of its rounds, with their spread, and more than 1 beside a peer means better', () => {
    expect(rate('drain-1p', [10_000, 30_000, 20_000], '/s', { 'pg-boss': 10_000 })).toEqual({
      id: 'drain-1p',
      value: 20_000,
      unit: '/s',
      peers: { 'pg-boss': 10_000 },
      ratios: { 'pg-boss': 2 },
      spread: [10_000, 30_000],
    });
    expect(time('idle-p50', [2, 4, 3], 'ms', { 'graphile-worker': 6 }).ratios).toEqual({ 'graphile-worker': 2 });
  });

  it('has a median between the two in the middle, and percentiles that are samples', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(percentile([5, 1, 4, 2, 3], 0.5)).toBe(3);
    expect(percentile([1, 2, 3], 0.99)).toBe(3);
  });

  it('is explained on the page, each of those that are kept', () => {
    const rows = performancePage()
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.filter((row) => row.split(' | ').at(-1)?.replace('|', '').trim() === '')).toEqual([]);
  });

  it('is printed beside its peers', () => {
    const lines: string[] = [];
    printFigures([rate('drain-1p', [2], '/s', { 'pg-boss': 1 })], (line) => lines.push(line));
    expect(lines[1]).toContain('drain-1p  2 /s');
    expect(lines[1]).toContain('pg-boss 1 (2×)');
  });
});

describe('docs/performance.md', () => {
  it('says so when nothing has been measured', () => {
    expect(performancePage('/nowhere')).toContain('Nothing has been measured yet.');
  });
});
