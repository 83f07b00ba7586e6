import { describe, expect, it } from 'vitest';
import { currencyOf } from './currency-sign.ts';

describe('the currency of an amount', () => {
  it.each([
    ['a dollar is the one the header names', '$', 'CAD', 'CAD'],
    ['a sign of one currency speaks for itself, also against the header', '€', 'USD', 'EUR'],
    ['a code in the cell comes before the header', 'CHF', 'USD', 'CHF'],
    ['kroner with a point are those of the header', 'kr.', 'DKK', 'DKK'],
    ['an amount without a sign has the header’s', null, 'IDR', 'IDR'],
    ['a dollar that nobody explains stays a dollar', '$', null, '$'],
    ['a dollar is no euro, whatever the header says', '$', 'EUR', '$'],
    ['nothing said is nothing known', null, null, null],
  ])('%s', (_, sign, header, currency) => {
    expect(currencyOf(sign, header)).toBe(currency);
  });
});
