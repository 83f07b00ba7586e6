import { describe, expect, it } from 'vitest';
import type { Reject } from './list-rejects.ts';
import { cellState, cellsAfterEdit, gridColumns, rowState } from './reject-cells.ts';

const open: Reject = {
  id: '1',
  line: 812,
  byte_offset: 90_113,
  cluster: 'date:Day',
  column: 'Day',
  code: 'value_not_a_date',
  message: 'not a date',
  value: '31/02',
  raw: { Campaign: 'Spring', Day: '31/02', Spend: null },
  faults: [],
  status: 'open',
  replayed_by: null,
};
const correction = { cells: { Day: '2026-02-28' }, by: 'ada', at: '2026-02-15T12:00:00Z', faults: [] };

describe('a cell of the rejects grid', () => {
  it('shows the fault in the column it belongs to and nowhere else', () => {
    expect(cellState(open, 'Day')).toEqual({ value: '31/02', original: '31/02', changed: false, fault: 'not a date' });
    expect(cellState(open, 'Campaign').fault).toBeUndefined();
  });

  it('shows every fault of a row, each in its column', () => {
    const second = { column: 'Spend', code: 'value_missing', message: 'empty', value: null };
    const both = { ...open, faults: [{ column: 'Day', code: 'x', message: 'not a date', value: '31/02' }, second] };
    expect([cellState(both, 'Day').fault, cellState(both, 'Spend').fault]).toEqual(['not a date', 'empty']);
  });

  it('shows the correction over the original and keeps the original', () => {
    const cell = cellState({ ...open, status: 'corrected', correction }, 'Day');
    expect(cell).toMatchObject({ value: '2026-02-28', original: '31/02', changed: true, fault: undefined });
  });

  it('shows what is still wrong with the corrected row', () => {
    const faults = [{ column: 'Spend', code: 'value_missing', message: 'empty', value: null }];
    expect(cellState({ ...open, correction: { ...correction, faults } }, 'Spend').fault).toBe('empty');
  });
});

describe('an edit', () => {
  it('keeps earlier corrections of the row', () => {
    expect(cellsAfterEdit({ ...open, correction }, 'Spend', '4')).toEqual({ Day: '2026-02-28', Spend: '4' });
  });

  it('takes a correction back when the original is typed again', () => {
    expect(cellsAfterEdit({ ...open, correction }, 'Day', '31/02')).toEqual({});
    expect(cellsAfterEdit(open, 'Spend', '')).toEqual({});
  });
});

describe('the state of a row', () => {
  it('is ready only when nothing is wrong with the correction', () => {
    const faults = [{ column: 'Day', code: 'x', message: 'y', value: null }];
    expect(rowState(open)).toBe('open');
    expect(rowState({ ...open, correction })).toBe('ready');
    expect(rowState({ ...open, correction: { ...correction, faults } })).toBe('faulty');
    expect(rowState({ ...open, status: 'resolved', correction })).toBe('resolved');
  });
});

describe('the columns of the grid', () => {
  it('stand in file order with the column in question first', () => {
    expect(gridColumns([open], ['Day'])).toEqual(['Day', 'Campaign', 'Spend']);
    expect(gridColumns([open], [])).toEqual(['Campaign', 'Day', 'Spend']);
  });

  it('follow the header, whatever order the cells arrive in', () => {
    expect(gridColumns([open], [], ['Spend', 'Day', 'Campaign', 'Notes'])).toEqual(['Spend', 'Day', 'Campaign']);
  });

  it('include a required column the file does not have, so that it can be filled in', () => {
    expect(gridColumns([{ ...open, column: 'Currency' }], [])).toContain('Currency');
  });
});
