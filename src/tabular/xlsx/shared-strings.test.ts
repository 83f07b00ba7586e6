import { describe, expect, it } from 'vitest';
import { SharedStrings } from './shared-strings.ts';

describe('shared strings', () => {
  it('gives back every text, also the empty one, however many there are', () => {
    const strings = new SharedStrings(10_000_000);
    const text = (i: number) => (i % 7 === 0 ? '' : `text ${i} é漢`);
    for (let i = 0; i < 20_000; i++) strings.add(text(i));
    for (const i of [0, 1, 7, 4_095, 4_096, 4_097, 19_999]) expect(strings.get(i)).toBe(text(i));
  });

  it.each([-1, 3, 1.5, Number.NaN])('has nothing under %s', (index) => {
    const strings = new SharedStrings(1_000);
    for (const text of ['a', 'b', 'c']) strings.add(text);
    expect(strings.get(index)).toBeNull();
  });

  it('refuses more than it may hold, counting empty texts as well', () => {
    expect(() => new SharedStrings(10).add('a long text')).toThrow(
      expect.objectContaining({ code: 'spreadsheet_too_large' }),
    );
    const strings = new SharedStrings(100);
    expect(() => {
      for (let i = 0; i < 100; i++) strings.add('');
    }).toThrow(expect.objectContaining({ code: 'spreadsheet_too_large' }));
  });
});
