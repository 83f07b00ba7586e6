import { describe, expect, it } from 'vitest';
import { decideDateOrder } from './date-order.ts';
import { parseDate } from './parse-date.ts';

describe('dates that can be read one way only', () => {
  it.each([
    '2024-01-05',
    '2024/1/5',
    '2024.01.05',
    '20240105',
    '2024-01-05T00:00:00Z',
    '2024-01-05 13:45',
    '2024-01-05T13:45:10.123+02:00',
    'Jan 5, 2024',
    'January 5, 2024',
    'Jan 5 2024',
    '5 Jan 2024',
    '05-Jan-24',
    '5 janv. 2024',
    '5. Januar 2024',
    '5 de enero de 2024',
    '5 gennaio 2024',
    '5 januari 2024',
    '5 Ocak 2024',
    '5 stycznia 2024',
    'Fri, Jan 5, 2024',
    'Friday 5 January 2024',
    '5th January 2024',
    '2024年1月5日',
    '2024년 1월 5일',
    ' 2024-01-05 ',
    '5.1.2024',
    '05.01.24',
  ])('reads %j as 2024-01-05', (text) => {
    expect(parseDate(text, 'unknown')).toEqual({ kind: 'value', value: '2024-01-05' });
  });

  it.each([
    ['1er août 2024', '2024-08-01'],
    ['4 juil. 2024', '2024-07-04'],
    ['4 juin 2024', '2024-06-04'],
    ['3 märz 2024', '2024-03-03'],
    ['9 sept. 2024', '2024-09-09'],
    ['29 Feb 2024', '2024-02-29'],
    ['31/12/2024', '2024-12-31'],
    ['12/31/2024', '2024-12-31'],
    ['04/04/2024', '2024-04-04'],
  ])('reads %j as %s', (text, expected) => {
    expect(parseDate(text, 'unknown')).toEqual({ kind: 'value', value: expected });
  });
});

describe('dates that need their order', () => {
  it('reads them by the order given', () => {
    expect(parseDate('05/01/2024', 'dmy')).toEqual({ kind: 'value', value: '2024-01-05' });
    expect(parseDate('05/01/2024', 'mdy')).toEqual({ kind: 'value', value: '2024-05-01' });
    expect(parseDate('5-1-24', 'dmy')).toEqual({ kind: 'value', value: '2024-01-05' });
  });

  it('refuses them when the order is not known', () => {
    expect(parseDate('05/01/2024', 'unknown')).toEqual({ kind: 'fault', code: 'date_ambiguous' });
  });

  it('refuses a day above 12 in the place of the month', () => {
    expect(parseDate('13/02/2024', 'mdy')).toEqual({ kind: 'fault', code: 'date_out_of_range' });
  });

  it('reads spreadsheet day numbers only when told to', () => {
    expect(parseDate('45296', 'serial')).toEqual({ kind: 'value', value: '2024-01-05' });
    expect(parseDate('45296.75', 'serial')).toEqual({ kind: 'value', value: '2024-01-05' });
    expect(parseDate('45296', 'ymd')).toEqual({ kind: 'fault', code: 'date_malformed' });
  });
});

describe('cells that are no day', () => {
  it.each(['Total', 'Jan 2024', '2024-01', '2024-W03', 'Ongoing', '5 foo 2024', '1/2', '2024', '5 jui 2024'])(
    'refuses %j',
    (text) => {
      expect(parseDate(text, 'dmy')).toEqual({ kind: 'fault', code: 'date_malformed' });
    },
  );

  it.each(['2024-02-30', '2023-02-29', '31/04/2024', '2024-13-01', '2024-00-10', '1024-01-01', '9999-01-01'])(
    'refuses the day %j, which does not exist or is out of reach',
    (text) => {
      expect(parseDate(text, 'dmy')).toEqual({ kind: 'fault', code: 'date_out_of_range' });
    },
  );

  it('takes markers as no value', () => {
    expect(parseDate(' --', 'ymd')).toEqual({ kind: 'none', warning: 'value_absent' });
    expect(parseDate('', 'ymd')).toEqual({ kind: 'none', warning: null });
  });
});

describe('the order of a column', () => {
  it('is proven by one day above 12', () => {
    expect(decideDateOrder(['01/02/2024', '13/02/2024'])).toMatchObject({
      value: 'dmy',
      confidence: 'exact',
      isAmbiguous: false,
    });
    expect(decideDateOrder(['01/02/2024', '02/13/2024'])).toMatchObject({
      value: 'mdy',
      confidence: 'exact',
      isAmbiguous: false,
    });
  });

  it('is day first between points', () => {
    expect(decideDateOrder(['01.02.2024'])).toMatchObject({ value: 'dmy', isAmbiguous: false });
  });

  it('is reported as ambiguous when no day is above 12', () => {
    expect(decideDateOrder(['01/02/2024', '05/06/2024'])).toMatchObject({ value: 'unknown', isAmbiguous: true });
  });

  it('is guessed, and still called ambiguous, when only one reading gives a run of days', () => {
    const run = ['01/02/2024', '02/02/2024', '03/02/2024', '04/02/2024'];
    expect(decideDateOrder(run)).toMatchObject({ value: 'dmy', confidence: 'guess', isAmbiguous: true });
    const american = ['02/01/2024', '02/02/2024', '02/03/2024', '02/04/2024'];
    expect(decideDateOrder(american)).toMatchObject({ value: 'mdy', confidence: 'guess', isAmbiguous: true });
  });

  it('is a guess when the column contradicts itself', () => {
    expect(decideDateOrder(['13/02/2024', '02/13/2024', '14/02/2024'])).toMatchObject({
      value: 'unknown',
      confidence: 'guess',
    });
  });

  it('is the year first for ISO dates and day numbers for serials', () => {
    expect(decideDateOrder(['2024-01-05'])).toMatchObject({ value: 'ymd', confidence: 'exact' });
    expect(decideDateOrder(['45296', '45297'])).toMatchObject({ value: 'serial', confidence: 'likely' });
  });

  it('is nothing for a column without dates', () => {
    expect(decideDateOrder(['a', 'b', ''])).toBeNull();
  });
});

describe('a column with dates of both orders', () => {
  const days = (count: number) => Array.from({ length: count }, (_, i) => `${13 + (i % 15)}/01/2024`);

  it('is ambiguous: what fits both orders is not read by the one that is met more often', () => {
    const decision = decideDateOrder([...days(9), '01/14/2024', '02/03/2024']);
    expect(decision).toMatchObject({ value: 'unknown', isAmbiguous: true, confidence: 'guess' });
    expect(parseDate('02/03/2024', decision?.value ?? 'ymd')).toMatchObject({ kind: 'fault', code: 'date_ambiguous' });
    expect(parseDate('13/01/2024', decision?.value ?? 'ymd')).toMatchObject({ kind: 'value', value: '2024-01-13' });
  });

  it('keeps its order where one date in twenty or fewer has the other', () => {
    expect(decideDateOrder([...days(40), '01/14/2024'])).toMatchObject({ value: 'dmy', isAmbiguous: false });
  });
});
