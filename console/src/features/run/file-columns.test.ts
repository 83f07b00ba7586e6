import { describe, expect, it } from 'vitest';
import { fileColumns } from './file-columns.ts';

describe('the columns of a file', () => {
  it('are those that hold something, names before figures, the currency last', () => {
    const columns = fileColumns([
      { cells: { currency: 'USD', spend: '1', reach: null, metric_date: '2026-01-01', campaign: 'A' } },
      { cells: { currency: 'USD', spend: '2', reach: null, metric_date: '2026-01-02', campaign: 'A' } },
    ]);
    expect(columns.map(({ label }) => label)).toEqual(['Day', 'Campaign', 'spend', 'Cur.']);
    expect(columns.map(({ isFigure }) => isFigure)).toEqual([false, false, true, false]);
  });
});
