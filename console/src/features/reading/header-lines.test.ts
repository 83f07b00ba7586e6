import { describe, expect, it } from 'vitest';
import { headerKey, headerLines, headerOptions } from './header-lines.ts';

const line = (number: number, kind: 'preamble' | 'blank' | 'header') => ({
  line: number,
  kind,
  text: '',
  put_back: false,
});
const reading = (value: number[]) => ({
  header_lines: { value, confidence: 'likely' as const, reason: '', overridden: false },
  furniture: [line(1, 'preamble'), line(2, 'blank'), line(3, 'header')],
  sample: [4, 5, 6, 7].map((number) => ({ line: number, cells: [] })),
});
const keys = (value: number[]) => headerOptions(reading(value)).map(([key]) => key);

describe('the lines that can be the header', () => {
  it('are single lines in sight, two of them that stand together, or none', () => {
    expect(keys([3])).toEqual(['1', '3', '4', '5', '6', '3+4', '4+5', '5+6', '']);
  });

  it('are offered as they are now, also when nobody would guess them', () => {
    expect(keys([3, 5])).toContain('3+5');
  });

  it('go there and back', () => {
    for (const lines of [[], [3], [3, 4]]) expect(headerLines(headerKey(lines))).toEqual(lines);
  });
});
