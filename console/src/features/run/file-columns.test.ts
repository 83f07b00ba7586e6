import { describe, expect, it } from 'vitest';
import { runPartsOf } from '../../pipelines/all.ts';
import { fileColumns } from './file-columns.ts';

const rows = [
  { cells: { currency: 'USD', spend: '1', reach: null, metric_date: '2026-01-01', campaign: 'A' } },
  { cells: { currency: 'USD', spend: '2', reach: null, metric_date: '2026-01-02', campaign: 'A' } },
];

describe('the columns of a file', () => {
  it('are those that hold something, in the order and the words of the kit: names before figures, the currency last', () => {
    const columns = fileColumns(rows, runPartsOf('ads').columns);
    expect(columns.map(({ label }) => label)).toEqual(['Day', 'Campaign', 'spend', 'Cur.']);
    expect(columns.map(({ isFigure }) => isFigure)).toEqual([false, false, true, false]);
  });

  it('of a pipeline without a kit keep the order of the file; figures are what looks like figures throughout', () => {
    const columns = fileColumns(rows);
    expect(columns.map(({ label }) => label)).toEqual(['currency', 'spend', 'metric date', 'campaign']);
    expect(columns.map(({ isFigure }) => isFigure)).toEqual([false, true, false, false]);
  });
});
