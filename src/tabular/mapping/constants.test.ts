import { describe, expect, it } from 'vitest';
import { readConstants } from './constants.ts';
import { FieldCatalogue } from './fields.ts';

const catalogue = new FieldCatalogue([
  { name: 'day', title: 'Day', kind: 'date', synonyms: [] },
  { name: 'campaign_id', title: 'Campaign ID', kind: 'id', synonyms: [] },
  { name: 'campaign', title: 'Campaign', kind: 'text', synonyms: [] },
  { name: 'currency', title: 'Currency', kind: 'currency', synonyms: [] },
  { name: 'cost', title: 'Cost', kind: 'money', synonyms: [] },
]);

describe('a value for every row', () => {
  it('is kept in the form in which a cell with that text would be', () => {
    const given = { day: '2024/1/5', campaign_id: ' 0012 ', campaign: ' Été ', currency: 'eur' };
    expect(readConstants(given, catalogue)).toEqual({
      day: '2024-01-05',
      campaign_id: '0012',
      campaign: 'Été',
      currency: 'EUR',
    });
  });

  it.each([
    [{ nonsense: 'x' }, 'is not a field'],
    [{ campaign: ' ' }, 'cannot be the Campaign'],
    [{ campaign_id: '1.2E+17' }, 'cannot be the Campaign ID'],
    [{ day: 'someday' }, 'cannot be the Day'],
    [{ day: '2024-02-30' }, 'cannot be the Day'],
    [{ currency: 'Euro' }, 'cannot be the Currency'],
    [{ cost: '0' }, 'is a number'],
  ])('%j is refused', (given, reason) => {
    expect(() => readConstants(given as unknown as Record<string, string>, catalogue)).toThrow(
      expect.objectContaining({ code: 'mapping_invalid', message: expect.stringContaining(reason) }),
    );
  });
});
