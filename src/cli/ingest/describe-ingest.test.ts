import { describe, expect, it } from 'vitest';
import {
  addDecimals,
  describeDimensions,
  describeReading,
  describeRejects,
  describeSums,
  formatDecimal,
} from './describe-ingest.ts';

const detected = <T>(value: T) => ({ value, confidence: 'certain' as const, reason: '', overridden: false });
const line = (kind: 'preamble' | 'total') => ({ line: 1, kind, text: '', put_back: false });

const reading = {
  upload_id: '01a1e155-f9b2-7000-886c-edc938ba568f',
  format: detected('csv' as const),
  encoding: detected('utf-16le'),
  delimiter: detected('\t'),
  quote: detected('"'),
  escape: detected('double' as const),
  line_end: detected('\r\n'),
  header_line: detected(3),
  header_lines: detected([3]),
  sheet: detected(null),
  sheets: [],
  records_key: detected(null),
  decimal: detected('.' as const),
  thousands: detected(','),
  date_order: detected('ymd' as const),
  date_orders: {},
  empty_markers: detected([]),
  total_words: detected([]),
  furniture: [line('preamble'), line('preamble'), line('total')],
  header: [],
  sample: [],
  warnings: [],
  doubts: [],
};

const cluster = (count: number) => ({
  cluster: 'x',
  code: 'x',
  column: null,
  message: '',
  count,
  open: count,
  corrected: 0,
  replayed: 0,
  resolved: 0,
  examples: [],
  fix: null,
});

describe('an ingest in words', () => {
  it('says how the file was read and what was set aside', () => {
    expect(describeReading(reading, 50_112)).toBe(
      '50,112 rows · utf-16le → utf-8 · tab · 2 preamble lines and 1 total row set aside',
    );
    expect(describeReading(undefined, 1)).toBe('1 row');
  });

  it('says how many were refused, in how many groups, and the share that is valid', () => {
    expect(describeRejects([cluster(220), cluster(2)], 50_112, 90)).toBe(
      '49,890 valid · 222 rejected in 2 groups (99.56 % ≥ 90 %)',
    );
    expect(describeRejects([], 10)).toBe('10 valid');
    expect(describeRejects([cluster(1)], 3)).toBe('2 valid · 1 rejected in 1 group (66.67 %)');
  });

  it('says what the gate decided, to the row: 899 of 1,000 are too few, 900 are enough', () => {
    expect(describeRejects([cluster(101)], 1_000, 90)).toBe('899 valid · 101 rejected in 1 group (89.90 % < 90 %)');
    expect(describeRejects([cluster(100)], 1_000, 90)).toBe('900 valid · 100 rejected in 1 group (90.00 % ≥ 90 %)');
    expect(describeRejects([cluster(10_001)], 100_000, 90)).toBe(
      '89,999 valid · 10,001 rejected in 1 group (89.99 % < 90 %)',
    );
  });

  it('adds money without losing a cent', () => {
    expect(addDecimals(['0.1', '0.2'])).toBe('0.3');
    expect(addDecimals(['9007199254740993.01', '-0.02'])).toBe('9007199254740992.99');
    expect(addDecimals([])).toBe('0');
    expect(['18204.11', '-1234567', '0.5'].map(formatDecimal)).toEqual(['18,204.11', '-1,234,567', '0.5']);
  });

  it('names what a pipeline touched, the few before the many, and nothing where it does not count', () => {
    expect(describeDimensions({ read: 1, dimensions: { ad: 1_904, ad_set: 212, campaign: 41 } })).toBe(
      'campaigns 41 · ad_sets 212 · ads 1,904',
    );
    expect([describeDimensions({ read: 1 }), describeDimensions(null)]).toEqual([undefined, undefined]);
  });

  it('shows the control total beside the counts, with what was not stored and what the file’s own total row says', () => {
    const receipt = {
      read: 3,
      outcomes: { inserted: 2, rejected: 1 },
      totals: { spend: { file: '3.50', outcomes: { inserted: '3.00', rejected: '0.50' } } },
    };
    expect(describeSums(receipt)).toBe('3 = 2 inserted + 1 rejected   spend file 3.50 = stored 3.00 + rejected 0.50');
    const declaring = (declared: string) => {
      const spend = { file: '1003.5', outcomes: { inserted: '1003.5' }, declared };
      return describeSums({ read: 1, outcomes: { inserted: 1 }, totals: { spend } });
    };
    expect(declaring('1003.50')).toBe('1 = 1 inserted   spend file 1,003.5 = stored 1,003.5 = its total row');
    expect(describeSums({ ...receipt, not_told: ['clicks'] })).toMatch(/ {3}not in the file: clicks$/);
    expect(declaring('1004')).toContain('its total row says 1,004: rows may be missing');
  });
});
