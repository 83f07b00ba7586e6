import { describe, expect, it } from 'vitest';
import { columnNames, fieldsOf, recogniseFields } from '../fields.ts';
import { gramsOf, gtinKey, nameKey, similarity, skuKey } from './catalog-keys.ts';

describe('keys of a catalogue', () => {
  it('SKUs are compared without case and punctuation', () => {
    expect(skuKey('AB-12 34')).toBe(skuKey('ab1234'));
    expect(skuKey(' -- ')).toBeNull();
  });

  it.each([
    ['4006381333931', '04006381333931'],
    ['96385074', '00000096385074'],
    ['036000291452', '00036000291452'],
    ['4006381333932', null],
    ['12345', undefined],
    ['not a number', undefined],
  ])('the check digit of %s is looked at', (text, key) => {
    expect(gtinKey(text)).toBe(key);
  });

  it('names are alike by their words, whatever their order, case and accents', () => {
    const score = (a: string, b: string) => similarity(gramsOf(nameKey(undefined, a)), gramsOf(nameKey(undefined, b)));
    expect(score('Stoneware mug blue', 'BLUE stoneware Mug')).toBe(1);
    expect(score('Café Crème', 'cafe creme')).toBe(1);
    expect(score('Floor lamp black', 'Floor lamps, black')).toBeGreaterThan(0.7);
    expect(score('Floor lamp', 'Garden hose')).toBeLessThan(0.1);
    expect(nameKey('Acme', 'Acme kettle')).toBe('acme kettle');
  });
});

describe('columns', () => {
  it('are recognised whatever the file calls them, the better name first', () => {
    const known = recogniseFields(['Item', 'Product name', 'Artikelnummer', 'EAN', 'Brand', 'Unit price']);
    expect(Object.fromEntries(known)).toEqual({
      title: 'Product name',
      sku: 'Artikelnummer',
      gtin: 'EAN',
      brand: 'Brand',
      price: 'Unit price',
    });
    expect(fieldsOf(known, { EAN: ' 1 ', Brand: '' })).toEqual({ gtin: '1' });
  });

  it('have a name of their own each', () => {
    expect(columnNames(['Price', 'Price', '', 'Price'])).toEqual(['Price', 'Price (2)', 'Column 3', 'Price (3)']);
  });
});
