import { describe, expect, it } from 'vitest';
import { overridesFrom, withoutLines } from './reading-overrides.ts';

describe('overrides as the API gives them', () => {
  it('set every decision that a reader takes', () => {
    const given = {
      encoding: 'windows-1252',
      delimiter: ';',
      quote: '',
      escape: 'backslash' as const,
      header_lines: [2, 3],
      sheet: 'June',
      records_key: 'items',
      decimal: ',' as const,
      date_order: 'dmy' as const,
      date_orders: { Ends: 'mdy' as const },
      empty_markers: ['x'],
      total_words: ['Summe'],
      put_back: [7],
    };
    expect(overridesFrom(given, {})).toEqual({
      encoding: 'windows-1252',
      delimiter: ';',
      quote: null,
      escape: 'backslash',
      headerLines: [2, 3],
      sheet: 'June',
      recordsKey: 'items',
      decimal: ',',
      dateOrders: { '*': 'dmy', Ends: 'mdy' },
      emptyMarkers: ['x'],
      totalWords: ['Summe'],
      keptLines: [7],
    });
  });

  it('are taken back by null, and stay where they are not named', () => {
    const before = {
      encoding: 'big5',
      quote: null,
      decimal: ',',
      headerLines: [1],
      dateOrders: { '*': 'dmy' },
    } as const;
    const given = { quote: null, decimal: null, header_line: null, date_order: null };
    expect(overridesFrom(given, before)).toEqual({ encoding: 'big5' });
    expect(overridesFrom({ header_line: 4 }, before)).toEqual({ ...before, headerLines: [4] });
    expect(overridesFrom({ header_lines: [] }, {})).toEqual({ headerLines: [] });
  });

  it('that name lines of one file do not hold for the next', () => {
    expect(withoutLines({ decimal: ',', keptLines: [3] })).toEqual({ decimal: ',' });
  });
});
