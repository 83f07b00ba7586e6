import { describe, expect, it } from 'vitest';
import type { ColumnKind, ColumnReading } from '../reading.ts';
import { FieldCatalogue, type MappingPreset } from './fields.ts';
import { headerFingerprint } from './fingerprint.ts';
import { headerName } from './header-name.ts';
import { applyMapping, checkMapping, mappingOf } from './mapping.ts';
import { suggestMapping } from './suggest-mapping.ts';
import { namesTaughtBy } from './taught-names.ts';

const catalogue = new FieldCatalogue([
  { name: 'day', title: 'Day', kind: 'date', isRequired: true, synonyms: ['Date', 'Jour', 'By Day'] },
  { name: 'campaign_id', title: 'Campaign ID', kind: 'id', synonyms: [] },
  { name: 'campaign', title: 'Campaign', kind: 'text', isRequired: true, synonyms: ['Campaign name', 'Campagne'] },
  { name: 'cost', title: 'Cost', kind: 'money', isRequired: true, synonyms: ['Spend', 'Amount spent', 'Coût'] },
  { name: 'clicks', title: 'Clicks', kind: 'integer', synonyms: ['Clicks (all)'] },
]);

const shop: MappingPreset = {
  name: 'shop-en',
  title: 'Shop exports',
  columns: { 'Sold on': 'day', Promotion: 'campaign', 'Money out (USD)': 'cost', Footnote: null },
};

const column = (name: string, kind: ColumnKind = 'text', index = 0): ColumnReading => ({
  index,
  name,
  kind,
  examples: [],
  fillRate: 1,
  emptyMarkers: [],
});
const columns = (...list: [string, ColumnKind][]) => list.map(([name, kind], index) => column(name, kind, index));

describe('comparing names', () => {
  it.each([
    ['Amount spent (USD)', 'amount spent (¤)', 'USD'],
    ['AMOUNT  SPENT （EGP）', 'amount spent (¤)', 'EGP'],
    ['CPC (all) (IDR)', 'cpc (all) (¤)', 'IDR'],
    ['Clicks (all)', 'clicks (all)', null],
    ['Website URL (Ad level）', 'website url (ad level)', null],
    ['\uFEFFCampaign ID ', 'campaign id', null],
  ])('%j is %j', (name, key, currency) => {
    expect(headerName(name)).toMatchObject({ key, currency });
  });
});

describe('the fingerprint of a header', () => {
  const names = ['Campaign', 'Day', 'Amount spent (USD)'];

  it('does not depend on order, case, blanks and currency', () => {
    expect(headerFingerprint(['amount spent (EUR)', ' DAY', 'campaign'])).toBe(headerFingerprint(names));
  });

  it('changes with every column', () => {
    expect(headerFingerprint([...names, 'Clicks'])).not.toBe(headerFingerprint(names));
    expect(headerFingerprint(['Campaign', 'Day', 'Day'])).not.toBe(headerFingerprint(['Campaign', 'Day']));
    expect(headerFingerprint(names)).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('proposing fields', () => {
  it('maps by a known name, exactly, and gives the reason', () => {
    const { columns: mapped, missing } = suggestMapping(
      columns(['Jour', 'date'], ['Campagne', 'text'], ['Coût', 'decimal']),
      catalogue,
      [],
    );
    expect(mapped.map((entry) => [entry.field, entry.confidence, entry.reason])).toEqual([
      ['day', 'exact', 'header match'],
      ['campaign', 'exact', 'header match'],
      ['cost', 'exact', 'header match'],
    ]);
    expect(missing).toEqual([]);
  });

  it('recognises the preset of a file and follows it', () => {
    const suggestion = suggestMapping(
      columns(['Sold on', 'date'], ['Promotion', 'text'], ['Money out (EUR)', 'decimal'], ['Footnote', 'text']),
      catalogue,
      [shop],
    );
    expect(suggestion.preset).toBe('shop-en');
    expect(suggestion.columns.map((entry) => entry.field)).toEqual(['day', 'campaign', 'cost', null]);
    expect(suggestion.columns[2]).toMatchObject({
      confidence: 'exact',
      currency: 'EUR',
      reason: 'named so in Shop exports',
    });
    expect(suggestion.columns[3]).toMatchObject({
      confidence: 'exact',
      reason: 'a column of Shop exports that is not needed',
      offers: [],
    });
  });

  it('calls a name that differs in punctuation likely', () => {
    expect(suggestMapping([column('campaign-name')], catalogue, []).columns[0]).toMatchObject({
      field: 'campaign',
      confidence: 'likely',
    });
    expect(suggestMapping([column('Cout', 'decimal')], catalogue, []).columns[0]).toMatchObject({
      field: 'cost',
      confidence: 'likely',
    });
  });

  it('doubts a name whose values look different', () => {
    const { columns: mapped } = suggestMapping(columns(['Day', 'text'], ['by.day', 'text']), catalogue, []);
    expect(mapped[0]).toMatchObject({
      field: 'day',
      confidence: 'likely',
      reason: 'header match, but its values look like text, not date',
    });
    expect(mapped[1]).toMatchObject({ field: null, offers: [{ field: 'day', confidence: 'guess' }] });
  });

  it('offers a field for an unknown name by its values, and never applies it', () => {
    const { columns: mapped, missing } = suggestMapping(columns(['Quand', 'date'], ['Wer', 'text']), catalogue, []);
    expect(mapped[0]).toMatchObject({ field: null, confidence: null, reason: 'the name is not known' });
    expect(mapped[0]?.offers).toEqual([{ field: 'day', confidence: 'guess', reason: 'its values look like date' }]);
    expect(mapped[1]).toMatchObject({ field: null, offers: [] });
    expect(missing).toEqual(['day', 'campaign', 'cost']);
  });

  it('gives a field to one column only: the more certain, then the one of its own name, then the first', () => {
    const given = (...names: string[]) =>
      suggestMapping(columns(...names.map((name) => [name, 'text'] as [string, 'text'])), catalogue, []).columns;
    const fieldsOf = (...names: string[]) => given(...names).map(({ field }) => field);
    expect(fieldsOf('campaign-name', 'Campagne', 'Campaign')).toEqual([null, null, 'campaign']);
    expect(fieldsOf('campaign-name', 'Campaign name', 'Campagne')).toEqual([null, 'campaign', null]);
    // Only their order tells these two apart.
    expect(given('Campaign name', 'Campagne').map(({ isTwin }) => isTwin)).toEqual([undefined, true]);
    expect(given('Campaign', 'Campagne').map(({ isTwin }) => isTwin)).toEqual([undefined, undefined]);
    expect(given('Campaign name', 'Campagne')[1]).toMatchObject({
      reason: 'another column is "campaign" already',
      offers: [{ field: 'campaign' }],
    });
  });

  it('knows names that were mapped before in files with other columns, unless two mappings disagree on them', () => {
    const taught = namesTaughtBy([
      { name: 'German', mapping: { fields: { datum: 'day', kosten: 'cost', notiz: null } } },
      { name: 'Swiss', mapping: { fields: { datum: 'day', kosten: 'campaign' } } },
    ]);
    const found = columns(['Datum', 'date'], ['Kosten', 'decimal'], ['Notiz', 'text']);
    const { columns: mapped } = suggestMapping(found, catalogue, [], taught);
    expect(mapped.map((entry) => [entry.field, entry.reason])).toEqual([
      ['day', 'mapped so in "German"'],
      [null, 'the name is not known'],
      [null, 'the name is not known'],
    ]);
  });

  it('takes spreadsheet day numbers as dates', () => {
    const serial: ColumnReading = {
      ...column('Day', 'integer'),
      dateOrder: { value: 'serial', confidence: 'likely', reason: '', isAmbiguous: false },
    };
    expect(suggestMapping([serial], catalogue, []).columns[0]).toMatchObject({ field: 'day', confidence: 'exact' });
  });
});

describe('a saved mapping', () => {
  const mapping = { fields: { 'sold on': 'day', who: 'campaign', note: null } };

  it('fits the next file whatever the order of its columns', () => {
    const mapped = applyMapping(mapping, columns(['Who', 'text'], ['New', 'text'], ['SOLD ON', 'date']), 3);
    expect(mapped.map((entry) => entry.field)).toEqual(['campaign', null, 'day']);
    expect(mapped[0]?.reason).toBe('saved mapping, version 3');
  });

  it('is what a user keeps of a suggestion', () => {
    const { columns: mapped } = suggestMapping(columns(['Day', 'date'], ['Unknown', 'text']), catalogue, []);
    expect(mappingOf(mapped, { cost: '0' })).toEqual({
      fields: { day: 'day', unknown: null },
      constants: { cost: '0' },
    });
  });

  it.each([
    ['a field that does not exist', { fields: { a: 'nonsense' } }],
    ['two columns for one field', { fields: { a: 'day', b: 'day' } }],
    ['a constant for no field', { fields: {}, constants: { nonsense: '1' } }],
    ['a column and a constant for one field', { fields: { a: 'day' }, constants: { day: '2024-01-05' } }],
  ])('may not have %s', (_title, bad) => {
    expect(() => checkMapping(bad, catalogue)).toThrow(expect.objectContaining({ code: 'mapping_invalid' }));
  });
});

describe('known headers', () => {
  it('are those of the fields and of the presets', () => {
    const isKnown = catalogue.knownHeaders([shop]);
    expect(['Day', 'by day', 'Amount spent (EUR)', 'Money out (GBP)', 'Footnote'].every(isKnown)).toBe(true);
    expect(isKnown('Campaign report')).toBe(false);
  });
});
