import { describe, expect, it } from 'vitest';
import { fromBatch } from './from-batch.ts';

describe('the mapping of a batch', () => {
  it('shows the values and the fill rate of each column as the first rows have them', () => {
    const { columns } = fromBatch(
      {
        fingerprint: 'f',
        version: 1,
        origin: 'saved',
        fields: [{ name: 'county', label: 'County', type: 'text' }],
        columns: [
          { index: 0, header: 'County', field: 'county', reason: 'saved' },
          { index: 1, header: 'Note', field: null, reason: 'no field of that name' },
        ],
      },
      [
        { line: 2, cells: ['Kings', null] },
        { line: 3, cells: ['Kings', 'x'] },
      ],
    );
    expect(columns).toMatchObject([
      { samples: ['Kings'], fill_rate: 1, confidence: 'exact' },
      { samples: ['x'], fill_rate: 0.5, confidence: 'none' },
    ]);
  });
});
