import { describe, expect, it } from 'vitest';
import { moveCell } from './move-cell.ts';

describe('moving through the grid', () => {
  it('starts in the first cell', () => {
    expect(moveCell(undefined, 'ArrowDown', 10, 5)).toEqual({ row: 0, column: 0 });
  });

  it('never leaves the grid', () => {
    expect(moveCell({ row: 9, column: 4 }, 'ArrowDown', 10, 5)).toEqual({ row: 9, column: 4 });
    expect(moveCell({ row: 0, column: 0 }, 'ArrowLeft', 10, 5)).toEqual({ row: 0, column: 0 });
    expect(moveCell({ row: 3, column: 0 }, 'PageDown', 10, 5)).toEqual({ row: 9, column: 0 });
  });

  it('goes to the first or the last row with Ctrl', () => {
    expect(moveCell({ row: 3, column: 2 }, 'End', 100_000, 5, true)).toEqual({ row: 99_999, column: 2 });
    expect(moveCell({ row: 3, column: 2 }, 'Home', 100_000, 5, true)).toEqual({ row: 0, column: 0 });
  });

  it('leaves other keys alone, also those that name things every object has', () => {
    expect(moveCell({ row: 3, column: 0 }, 'a', 10, 5)).toBeUndefined();
    expect(moveCell({ row: 3, column: 0 }, 'constructor', 10, 5)).toBeUndefined();
  });
});
