import { describe, expect, it } from 'vitest';
import { isFiltered, readRunFilters, toApiFilter, togglePhase } from './run-filters.ts';

describe('run filters in the address', () => {
  it('reads back what it wrote', () => {
    const filters = { phase: 'failed,dead', pipeline: 'ads', q: 'june', span: '7d' } as const;
    expect(readRunFilters({ ...filters })).toEqual(filters);
  });

  it('leaves out what it does not understand', () => {
    expect(
      readRunFilters({ phase: 'sleeping', span: 'forever', q: '  ', pipeline: { a: 1 }, evil: '<script>' }),
    ).toEqual({});
  });

  it('takes a search term that looks like a number as text', () => {
    expect(readRunFilters({ q: 812 })).toEqual({ q: '812' });
  });

  it('treats all phases as no filter', () => {
    expect(isFiltered(readRunFilters({ phase: 'waiting,active,done,failed,dead' }))).toBe(false);
  });

  it('turns a phase on and off without touching the rest', () => {
    const on = togglePhase({ q: 'june' }, 'failed');
    expect(on).toEqual({ q: 'june', phase: 'failed' });
    expect(togglePhase(on, 'failed')).toEqual({ q: 'june' });
  });

  it('asks the server for a fixed moment, steady within a minute', () => {
    const at = Date.parse('2026-02-15T12:00:41Z');
    expect(toApiFilter({ span: '1h' }, at)).toEqual({ since: '2026-02-15T11:00:00.000Z' });
    expect(toApiFilter({ q: 'x' }, at)).toEqual({ q: 'x' });
  });
});
