import { describe, expect, it } from 'vitest';
import { cellText, cellValue } from './sheet.ts';

describe('a cell of a workbook', () => {
  it('is a number where the column says so and every digit is kept; otherwise the text stays', () => {
    const asNumber = (value: unknown) => cellValue(value, 'number');
    expect(['12', '-0.5', '1.10', '0', 39.9, 1e-7, 1e21].map(asNumber)).toEqual([12, -0.5, 1.1, 0, 39.9, 1e-7, 1e21]);
    const kept = ['1234567890123456', '123456789012.3456', '1e400000', '007', '-00.5', '12a', '٣', '=1', '1,5', 'NaN'];
    expect(kept.map(asNumber)).toEqual(kept);
    expect(cellValue('12', 'text')).toBe('12');
  });

  it('is a date where the column says so and the calendar has that day; a time without a zone is shown as it stands', () => {
    const asDate = (value: unknown) => cellValue(value, 'date');
    expect(asDate('2026-02-28')).toEqual(new Date('2026-02-28T00:00:00Z'));
    expect(asDate('2026-02-28T17:30:05.250Z')).toEqual(new Date('2026-02-28T17:30:05.250Z'));
    expect(asDate('2026-02-28T17:30:05')).toEqual(new Date('2026-02-28T17:30:05Z'));
    const kept = ['2026-02-30', '2026-13-01', '2026-02-28T99:00:00Z', '28.02.2026', '2026-02-28T'];
    expect(kept.map(asDate)).toEqual(kept);
  });

  it('is empty where nothing is, and shows objects as JSON', () => {
    expect([null, undefined, ''].map((value) => [cellText(value), cellValue(value, 'number')])).toEqual([
      ['', null],
      ['', null],
      ['', null],
    ]);
    expect([cellText({ a: 1 }), cellText(false), cellText(0)]).toEqual(['{"a":1}', 'false', '0']);
  });
});
