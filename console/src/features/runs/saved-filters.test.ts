import { expect, it } from 'vitest';
import { isSame, parseSaved, withSaved } from './saved-filters.ts';

it('what was kept by hand or by another version is read as far as it is understood', () => {
  expect(parseSaved(null)).toEqual([]);
  expect(parseSaved('{"not": "a list"')).toEqual([]);
  expect(
    parseSaved('[null, {"name": 7}, {"name": "Bad", "filters": {"phase": "failed,nonsense", "span": "9y"}}]'),
  ).toEqual([{ name: 'Bad', filters: { phase: 'failed' } }]);
});

it('a name holds one filter: the newer one takes its place', () => {
  const first = { name: 'Mine', filters: { phase: 'failed' } };
  const second = { name: 'Mine', filters: { q: 'winter' } };
  expect(withSaved([first, { name: 'Other', filters: {} }], second)).toEqual([{ name: 'Other', filters: {} }, second]);
});

it('filters are the same whatever order they were chosen in', () => {
  expect(isSame({ phase: 'failed', q: 'a' }, { q: 'a', phase: 'failed' })).toBe(true);
  expect(isSame({ phase: 'failed' }, { phase: 'dead' })).toBe(false);
});
