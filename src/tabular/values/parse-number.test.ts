import { describe, expect, it } from 'vitest';
import { commaStyle, decideNumberStyle, numberEvidence, pointStyle } from './number-style.ts';
import { parseInteger, parseNumber } from './parse-number.ts';

const value = (text: string, style = pointStyle) => {
  const parsed = parseNumber(text, style);
  return parsed.kind === 'value' ? parsed.value : parsed;
};

describe('numbers with a decimal point', () => {
  it.each([
    ['0', '0'],
    ['12', '12'],
    ['0012', '12'],
    ['12.50', '12.5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['-0', '0'],
    ['-0.00', '0'],
    ['203,834', '203834'],
    ['1,234,567.89', '1234567.89'],
    ['12,34,567', '1234567'],
    ['1 234.5', '1234.5'],
    ["1'234.50", '1234.5'],
    ['1’234.50', '1234.5'],
    ['1\u202f234.5', '1234.5'],
    ['１２３', '123'],
    ['  7 ', '7'],
    ['+7', '7'],
    ['-7', '-7'],
    ['−7', '-7'],
    ['7-', '-7'],
    ['(7)', '-7'],
    ['1.2E+05', '120000'],
    ['1.25e-3', '0.00125'],
    ['123456789012345678901234.12', '123456789012345678901234.12'],
  ])('reads %j as %s', (text, expected) => {
    expect(value(text)).toBe(expected);
  });

  it.each([
    '1,23',
    '1,2,3',
    '12,3456',
    'abc',
    '1.2.3',
    '--5',
    '5 6',
    '1 23',
    'USD',
    '$',
    '1e999',
    'NaN5',
    '0x10',
    '1,,000',
    '١٢',
  ])('refuses %j', (text) => {
    expect(parseNumber(text)).toEqual({ kind: 'fault', code: 'number_malformed' });
  });

  it('refuses more digits than can be stored', () => {
    expect(parseNumber('9'.repeat(50))).toEqual({ kind: 'fault', code: 'number_too_large' });
  });
});

describe('numbers with a decimal comma', () => {
  it.each([
    ['1.234,56', '1234.56'],
    ['1 234,56', '1234.56'],
    ['12,5', '12.5'],
    ['1.234', '1234'],
    ['0,123', '0.123'],
    ['-1.234.567,8', '-1234567.8'],
  ])('reads %j as %s', (text, expected) => {
    expect(value(text, commaStyle)).toBe(expected);
  });

  it('refuses a number of the other style', () => {
    expect(parseNumber('1,234.56', commaStyle).kind).toBe('fault');
  });
});

describe('currencies and percentages', () => {
  it.each([
    ['$5.00', '5', '$'],
    ['-$5.00', '-5', '$'],
    ['$-5.00', '-5', '$'],
    ['($1,234.50)', '-1234.5', '$'],
    ['$(3)', '-3', '$'],
    ['US$1,000.00', '1000', 'US$'],
    ['R$ 10', '10', 'R$'],
    ['USD 12', '12', 'USD'],
    ['12 USD', '12', 'USD'],
    ['3€', '3', '€'],
    ['€ 3', '3', '€'],
    ['kr 5', '5', 'kr'],
    ['Rp 12,000', '12000', 'Rp'],
  ])('reads %j as %s and reports the currency', (text, expected, currency) => {
    expect(parseNumber(text)).toEqual({ kind: 'value', value: expected, currency });
  });

  it('reports a percent sign and leaves the number as written', () => {
    expect(parseNumber('4.50%')).toEqual({ kind: 'value', value: '4.5', unit: '%' });
    expect(parseNumber('0,5 %', commaStyle)).toEqual({ kind: 'value', value: '0.5', unit: '%' });
  });
});

describe('cells without a number', () => {
  it('takes an empty cell as no value, without a warning', () => {
    expect(parseNumber('  ')).toEqual({ kind: 'none', warning: null });
  });

  it.each(['--', ' --', '-', '–', 'N/A', 'n/a', '#DIV/0!', 'null', '(not set)'])(
    'takes %j as no value with a warning, never as 0',
    (text) => {
      expect(parseNumber(text)).toEqual({ kind: 'none', warning: 'value_absent' });
    },
  );

  it.each(['<5', '< 10', '>1000', '≤5'])('takes the masked %j as no value with a warning, never as 0', (text) => {
    expect(parseNumber(text)).toEqual({ kind: 'none', warning: 'value_masked' });
  });
});

describe('whole numbers', () => {
  it('takes 12.0 as whole and refuses 12.5', () => {
    expect(parseInteger('12.0')).toEqual({ kind: 'value', value: '12' });
    expect(parseInteger('12.5')).toEqual({ kind: 'fault', code: 'number_not_whole' });
  });
});

describe('which style a file uses', () => {
  it.each([
    ['1,234.56', 'point'],
    ['1.234,56', 'comma'],
    ['1 234,56', 'comma'],
    ['12.50', 'point'],
    ['12,5', 'comma'],
    ['0,123', 'comma'],
    ['1234,567', 'comma'],
    ['1,234,567', 'point'],
    ['203,834', 'either'],
    ['203.834', 'either'],
    ['12', 'plain'],
    ['$1,000.00', 'point'],
    ['text', 'none'],
    ['2024-01-05', 'none'],
  ] as const)('%j is evidence of %s', (text, evidence) => {
    expect(numberEvidence(text)).toBe(evidence);
  });

  it('lets one proof decide all that is open', () => {
    expect(decideNumberStyle(['203,834', '12.50'])).toMatchObject({ value: pointStyle, confidence: 'exact' });
    expect(decideNumberStyle(['203.834', '12,50'])).toMatchObject({ value: commaStyle, confidence: 'exact' });
  });

  it('reads thousands by the delimiter when nothing is proven, and says so', () => {
    expect(decideNumberStyle(['203,834'], { delimiter: ',' })).toMatchObject({
      value: pointStyle,
      confidence: 'likely',
    });
    expect(decideNumberStyle(['203.834'], { delimiter: ',', hasUngrouped: true })).toMatchObject({
      value: pointStyle,
      confidence: 'likely',
    });
    expect(decideNumberStyle(['203,834'], { hasTypedNumbers: true })).toMatchObject({
      value: pointStyle,
      confidence: 'likely',
    });
    expect(decideNumberStyle(['203.834'], { delimiter: ';' })).toMatchObject({
      value: commaStyle,
      confidence: 'guess',
    });
    expect(decideNumberStyle(['203,834'], { delimiter: ';' })).toMatchObject({ confidence: 'guess' });
  });

  it('has a rival where every decimal point may be a thousands sign, as in currencies without cents', () => {
    expect(decideNumberStyle(['203.834'], { delimiter: ',' })).toMatchObject({
      value: pointStyle,
      confidence: 'guess',
      rival: { says: 'a decimal comma' },
    });
  });

  it('calls contradicting proofs a guess', () => {
    expect(decideNumberStyle(['1.5', '2.5', '1,5'])).toMatchObject({ value: pointStyle, confidence: 'guess' });
    expect(decideNumberStyle(['1.5', '2.5', '1,5']).rival).toBeUndefined();
    expect(decideNumberStyle(['1.5', '2.5', '1,5', '2.500']).rival).toMatchObject({ says: 'a decimal comma' });
  });
});
