import { describe, expect, it } from 'vitest';
import { assign, draftOf, fillableFields, isChanged, keptConstants, missingFields } from './mapping-draft.ts';
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
    { name: 'currency', label: 'Currency', type: 'currency', required: false },
  ],
  constants: {},
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
    expect(isChanged(mapping, draft, {})).toBe(true);
  });

  it('names the required fields that no column feeds', () => {
    expect(missingFields(mapping, assign(draftOf(mapping), 0, null), {})).toEqual(['Day']);
    expect(missingFields(mapping, draftOf(mapping), {})).toEqual([]);
  });

  it('is unchanged when a change is taken back', () => {
    const there = assign(draftOf(mapping), 2, null);
    expect(isChanged(mapping, assign(there, 2, 'spend'), {})).toBe(false);
  });

  it('counts what is said for every row as fed, and knows when that has changed', () => {
    const noDay = assign(draftOf(mapping), 0, null);
    expect(missingFields(mapping, noDay, { metric_date: '2026-01-01' })).toEqual([]);
    expect(isChanged(mapping, draftOf(mapping), { currency: 'EUR' })).toBe(true);
    expect(isChanged({ ...mapping, constants: { currency: 'EUR' } }, draftOf(mapping), { currency: 'EUR' })).toBe(
      false,
    );
  });

  it('offers for every row only fields that are no numbers and that nothing feeds', () => {
    const offered = (constants: Record<string, string>, draft = draftOf(mapping)) =>
      fillableFields(mapping, draft, constants).map(({ name }) => name);
    expect(offered({})).toEqual(['currency']);
    expect(offered({ currency: 'EUR' })).toEqual([]);
    expect(offered({}, assign(draftOf(mapping), 0, null))).toEqual(['metric_date', 'currency']);
  });

  it('lets a column take the place of what was said for every row', () => {
    const draft = assign(draftOf(mapping), 1, 'currency');
    expect(keptConstants({ currency: 'EUR' }, draft)).toEqual({});
    expect(keptConstants({ currency: 'EUR' }, draftOf(mapping))).toEqual({ currency: 'EUR' });
  });
});
