import { describe, expect, it } from 'vitest';
import { assign, draftOf, isChanged, missingFields } from './mapping-draft.ts';
import type { Mapping } from './show-mapping.ts';

const column = { confidence: 'exact' as const, reason: 'header match', samples: [], fill_rate: 1 };
const mapping: Mapping = {
  mapping_id: null,
  name: null,
  version: 0,
  fingerprint: 'f',
  pipeline: 'ads',
  platform: 'meta',
  origin: 'preset',
  columns: [
    { ...column, index: 0, header: 'Day', field: 'metric_date' },
    { ...column, index: 1, header: 'Cost', field: null },
    { ...column, index: 2, header: 'Amount', field: 'spend' },
  ],
  fields: [
    { name: 'metric_date', label: 'Day', type: 'date', required: true },
    { name: 'spend', label: 'Spend', type: 'decimal', required: true },
  ],
  missing: [],
};

describe('a mapping draft', () => {
  it('moves a field from the column that had it', () => {
    const draft = assign(draftOf(mapping), 1, 'spend');
    expect([...draft]).toEqual([
      [0, 'metric_date'],
      [1, 'spend'],
      [2, null],
    ]);
    expect(isChanged(mapping, draft)).toBe(true);
  });

  it('names the required fields that no column feeds', () => {
    expect(missingFields(mapping, assign(draftOf(mapping), 0, null))).toEqual(['Day']);
    expect(missingFields(mapping, draftOf(mapping))).toEqual([]);
  });

  it('is unchanged when a change is taken back', () => {
    const there = assign(draftOf(mapping), 2, null);
    expect(isChanged(mapping, assign(there, 2, 'spend'))).toBe(false);
  });
});
