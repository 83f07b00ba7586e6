import { describe, expect, it } from 'vitest';
import { describeFormat, displayNumber } from './cell-format.ts';

const shown = (raw: string, code: string, isFrom1904 = false) =>
  displayNumber(raw, describeFormat(164, code), isFrom1904);
const builtIn = (raw: string, id: number) => displayNumber(raw, describeFormat(id, undefined), false);

describe('days', () => {
  it.each(['yyyy-mm-dd', 'dd/mm/yyyy', 'm/d/yy', 'd. mmmm yyyy', '[$-407]dd.mm.yyyy', 'dddd, mmmm d, yyyy'])(
    'shows %j as the ISO day',
    (code) => {
      expect(shown('45296', code)).toBe('2024-01-05');
    },
  );

  it('shows the built-in dates, East Asian ones included, as the ISO day', () => {
    expect([14, 15, 27, 31, 57].map((id) => builtIn('45296', id))).toEqual(Array(5).fill('2024-01-05'));
  });

  it('adds the time where the format shows it', () => {
    expect(shown('45296.5', 'yyyy-mm-dd hh:mm')).toBe('2024-01-05 12:00:00');
    expect(shown('45296.99999999', 'yyyy-mm-dd hh:mm:ss')).toBe('2024-01-06 00:00:00');
    expect(builtIn('45296.25', 22)).toBe('2024-01-05 06:00:00');
  });

  it('drops the time where the format does not show it', () => {
    expect(shown('45296.99', 'dd/mm/yyyy')).toBe('2024-01-05');
  });

  it('keeps a month a month: it is not a day', () => {
    expect(shown('45292', 'mmm-yy')).toBe('Jan-24');
    expect(shown('45292', 'mmmm yyyy')).toBe('January 2024');
  });

  it('counts from 1904 where the workbook does', () => {
    expect(shown('43834', 'yyyy-mm-dd', true)).toBe('2024-01-05');
  });

  it('knows that Excel has a 29 February 1900', () => {
    expect(['1', '59', '60', '61'].map((raw) => shown(raw, 'yyyy-mm-dd'))).toEqual([
      '1900-01-01',
      '1900-02-28',
      '1900-02-29',
      '1900-03-01',
    ]);
  });

  it('leaves a number that is no day as it is', () => {
    expect(shown('-5', 'yyyy-mm-dd')).toBe('-5');
    expect(shown('99999999999', 'yyyy-mm-dd')).toBe('99999999999');
  });
});

describe('numbers', () => {
  it.each([
    ['203834', '#,##0', '203,834'],
    ['0.0512', '0.00%', '5.12%'],
    ['0.07', '0%', '7%'],
    ['1', '0.0%', '100.0%'],
    ['1234.5', '$#,##0.00', '$1,234.50'],
    ['1234.5', '[$€-407] #,##0.00', '€ 1,234.50'],
    ['1234.5', '#,##0.00\\ [$€-1]', '1,234.50 €'],
    ['-3', '#,##0.00;(#,##0.00)', '(3.00)'],
    ['7', '000', '007'],
    ['12', '0 "clicks"', '12 clicks'],
    ['120000', '0.00E+00', '1.20E+05'],
  ])('shows %s in the format %j as %s', (raw, code, expected) => {
    expect(shown(raw, code)).toBe(expected);
  });

  it.each([
    ['12', '12'],
    ['0.30000000000000004', '0.3'],
    ['12.300000000000001', '12.3'],
    ['120210000000000123', '120210000000000123'],
    ['1.2021000000000012E+17', '1.2021000000000012E+17'],
    ['1E-3', '0.001'],
  ])('shows %s without a format as %s', (raw, expected) => {
    expect(shown(raw, 'General')).toBe(expected);
  });
});

describe('formats that show less than the number', () => {
  it.each([
    ['1234.5678', '#,##0.00', '1,234.5678'],
    ['0.49', '#,##0', '0.49'],
    ['-1.005', '0.00', '-1.005'],
    ['0.051234', '0.00%', '5.1234%'],
    ['1234.5678', '$#,##0.00', '$1,234.5678'],
    ['-1234.5678', '#,##0.00_);(#,##0.00)', '(1,234.5678)'],
    ['1234567.5', '#,##0,', '1234567.5'],
    ['1234567.5', '#,##0.00,,"M"', '1234567.5'],
    ['1234567.5', '0.00E+00', '1234567.5'],
    ['2.5', '# ?/?', '2.5'],
    ['12.25', 'General;[Red]-General', '12.25'],
    ['0', '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-', '0'],
    ['0', '0;-0;;@', '0'],
    ['5', ';;;', '5'],
    ['-5', '0;[Red]0', '-5'],
    ['12.300000000000001', '0.00', '12.30'],
    ['0.00000000000000002', '#,##0.00 "€"', '0.00 €'],
  ])('take nothing away: %s in %j is %s', (raw, code, expected) => {
    expect(shown(raw, code)).toBe(expected);
  });

  it.each([
    ['123456789', '000-00-0000', '123-45-6789'],
    ['0.25', 'h:mm', '6:00'],
    ['5', '"Q1" 0', 'Q1 5'],
  ])('are left alone where they show no plain number: %s in %j is %s', (raw, code, expected) => {
    expect(shown(raw, code)).toBe(expected);
  });
});

describe('formats with many decimals', () => {
  it.each([
    ['1.5', '0.0000000000000000', '1.5000000000000000'],
    ['0.0000001', '0.0000000000000000', '0.0000001000000000'],
    ['123456.789', '#,##0.0000000000000000000000', '123,456.7890000000000000000000'],
    ['1e-20', '0.00', '0.00'],
    ['99999999999999.5', '0', '99999999999999.5'],
  ])('show %s in %s as %s', (raw, code, shown) => {
    expect(displayNumber(raw, describeFormat(164, code), false)).toBe(shown);
  });

  it.each([
    '0.################',
    '0.0000000000000000000000000000E+00',
    '#,##0.000000000000000000_);(0.0000000000000000000)',
  ])('never show %s as NaN', (code) => {
    for (const raw of ['1234.5', '1e-9', '-3', '1e21', '0']) {
      expect(displayNumber(raw, describeFormat(164, code), false)).toMatch(/\d/);
      expect(displayNumber(raw, describeFormat(164, code), false)).not.toContain('NaN');
    }
  });
});
