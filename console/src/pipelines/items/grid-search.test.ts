import { describe, expect, it } from 'vitest';
import { isFiltered, readGridSearch } from './grid-search.ts';

describe('the address of a grid', () => {
  it('keeps what it knows and drops the rest', () => {
    expect(readGridSearch({ status: 'ERROR', text: 'kettle', column: 'Brand', row: '12' })).toEqual({
      status: 'ERROR',
      text: 'kettle',
      column: 'Brand',
      row: 12,
    });
    expect(readGridSearch({ status: 'LOST', text: '', column: 3, row: '-4', other: 1 })).toEqual({});
    expect(readGridSearch({ row: '1e400' })).toEqual({});
  });

  it('a column alone filters nothing', () => {
    expect(isFiltered({ column: 'Brand' })).toBe(false);
    expect([isFiltered({ status: 'DONE' }), isFiltered({ text: 'x' })]).toEqual([true, true]);
  });
});
