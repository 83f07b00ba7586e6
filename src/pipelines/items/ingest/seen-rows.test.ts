import { describe, expect, it } from 'vitest';
import { SeenRows } from './seen-rows.ts';

describe('rows that were seen', () => {
  it.each([
    ['that grows', new SeenRows()],
    ['with room from the start', new SeenRows({ expected: 50_000 })],
  ])('are known by their first row, however many there are, and told apart by all 48 bits (a memory %s)', (_, seen) => {
    const of = (row: number) => ((row * 2_654_435_761) % 2 ** 20) * 2 ** 28 + row;
    for (let row = 0; row < 50_000; row += 1) expect(seen.firstOf(of(row), row)).toBeUndefined();
    for (let row = 0; row < 50_000; row += 7) expect(seen.firstOf(of(row), 60_000 + row)).toBe(row);
    // The same low 32 bits, another row.
    expect(seen.firstOf(5, 1)).toBeUndefined();
    expect(seen.firstOf(5 + 2 ** 32, 2)).toBeUndefined();
    expect(seen.firstOf(5 + 2 ** 32, 3)).toBe(2);
    // The largest there is.
    expect(seen.firstOf(2 ** 48 - 1, 4)).toBeUndefined();
    expect(seen.firstOf(2 ** 48 - 1, 5)).toBe(4);
  });

  it('that came before and are not known any more count as not remembered', () => {
    expect(new SeenRows({ most: 10, unremembered: 7 }).unremembered).toBe(7);
  });

  it('are remembered up to the limit; those before it stay known', () => {
    const seen = new SeenRows({ most: 10 });
    for (let row = 0; row < 20; row += 1) seen.firstOf(row, row);
    expect(seen.firstOf(9, 30)).toBe(9);
    expect(seen.firstOf(10, 31)).toBeUndefined();
    expect(seen.firstOf(10, 32)).toBeUndefined();
  });
});
