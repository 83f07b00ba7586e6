import { describe, expect, it } from 'vitest';
import { parseId, parseText } from './parse-id.ts';

describe('ids', () => {
  it.each([
    ['120210000000000123', '120210000000000123'],
    ['0012', '0012'],
    [' 77 ', '77'],
    ['="120210000000000123"', '120210000000000123'],
    ["'120210000000000123", '120210000000000123'],
    ['c:120210000000000123', 'c:120210000000000123'],
  ])('keeps %j as the text %s', (text, id) => {
    expect(parseId(text)).toEqual({ kind: 'value', value: id });
  });

  it.each(['1.2021E+17', '1,2021E+17', '1e17'])(
    'refuses %j, whose last digits a spreadsheet has thrown away',
    (text) => {
      expect(parseId(text)).toEqual({ kind: 'fault', code: 'id_rounded' });
    },
  );

  it('takes dashes as no id', () => {
    expect(parseId('--')).toEqual({ kind: 'none', warning: 'value_absent' });
    expect(parseId('')).toEqual({ kind: 'none', warning: null });
  });
});

describe('texts', () => {
  it('keeps words that mean "no value" only for numbers', () => {
    expect(parseText('NA')).toEqual({ kind: 'value', value: 'NA' });
    expect(parseText('None')).toEqual({ kind: 'value', value: 'None' });
    expect(parseText(' --')).toEqual({ kind: 'none', warning: 'value_absent' });
  });
});
