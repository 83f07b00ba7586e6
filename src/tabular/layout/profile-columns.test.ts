import { describe, expect, it } from 'vitest';
import { profileColumns } from './profile-columns.ts';
import { shapeOf } from './value-shape.ts';

const profile = (...values: string[]) => {
  const [column] = profileColumns(
    ['x'],
    values.map((value, index) => ({ line: index + 1, cells: [value] })),
  );
  return column!;
};

describe('the shape of a value', () => {
  it.each([
    ['', 'empty'],
    ['  ', 'empty'],
    ['--', 'marker'],
    ['N/A', 'marker'],
    ['<5', 'masked'],
    ['2024-01-05', 'date'],
    ['05/01/2024', 'date'],
    ['Jan 5, 2024', 'date'],
    ['20240105', 'date'],
    ['120210000000000123', 'id'],
    ['12', 'integer'],
    ['203,834', 'integer'],
    ['12.50', 'decimal'],
    ['1.234,56', 'decimal'],
    ['4.5%', 'percent'],
    ['$12', 'money'],
    ['12 EUR', 'money'],
    ['Campaign', 'text'],
    ['12 monkeys', 'text'],
    ['https://a.test', 'text'],
  ] as const)('%j is %s', (text, shape) => {
    expect(shapeOf(text)).toBe(shape);
  });
});

describe('columns', () => {
  it.each([
    ['text', ['a', 'b', '3']],
    ['integer', ['1', '2', '<5', '--', '1,200']],
    ['decimal', ['1.5', '2', '3.25']],
    ['percent', ['1%', '2.5%', '--']],
    ['money', ['$1', '$2.50']],
    ['date', ['2024-01-05', '', '2024-01-06']],
    ['id', ['120210000000000123', '120210000000000124']],
    ['empty', ['', ' ', '']],
    ['empty', ['--', '--']],
  ] as const)('are %s if nearly all values are', (kind, values) => {
    expect(profile(...values).kind).toBe(kind);
  });

  it('tolerate one value in five that is something else', () => {
    expect(profile('1', '2', '3', '4', 'oops').kind).toBe('integer');
    expect(profile('1', '2', '3', 'oops', 'oops').kind).toBe('text');
  });

  it('show three different examples, how full they are, and their markers', () => {
    expect(profile('a', 'a', 'b', 'c', 'd', '', ' --')).toMatchObject({
      examples: ['a', 'b', 'c'],
      fillRate: 0.714,
      emptyMarkers: [' --'],
    });
  });

  it('cut long examples', () => {
    expect(profile('x'.repeat(500)).examples[0]).toHaveLength(80);
  });

  it('carry the order of their dates, and offer day numbers', () => {
    expect(profile('13/01/2024').dateOrder?.value).toBe('dmy');
    expect(profile('45296', '45297')).toMatchObject({ kind: 'integer', dateOrder: { value: 'serial' } });
    expect(profile('12', '45296').dateOrder).toBeUndefined();
  });
});
