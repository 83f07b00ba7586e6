// The list of breaks fits the source, a few of them are planted at every `npm test`, and the runner tells a break that is caught from
// one that is not. All of them: `npm run mutate`.
import { describe, expect, inject, it } from 'vitest';
import type { Break } from './break.ts';
import { breaks } from './breaks/all.ts';
import { findDrift } from './copy.ts';
import { mutate } from './mutate.ts';

const planted = ['tabular.half-a-click', 'tabular.total-row-counted-as-data'];
const number: Break = breaks.find(({ id }) => id === 'tabular.half-a-click') as Break;

describe('the list of breaks', () => {
  it('fits the source: each find string stands in its file exactly once', () => {
    expect(findDrift(breaks)).toEqual([]);
  });

  it('names each break once, and all parts that must not fail in silence', () => {
    expect(breaks.length).toBeGreaterThanOrEqual(40);
    expect(new Set(breaks.map(({ id }) => id)).size).toBe(breaks.length);
    const areas = new Set(breaks.map(({ id }) => id.split('.')[0]));
    expect([...areas].sort()).toEqual([
      'conformance',
      'documents',
      'effects',
      'engine',
      'intake',
      'items',
      'outbox',
      'readings',
      'sources',
      'tabular',
    ]);
  });
});

describe('a break', () => {
  it('is caught by its tests, or the runner says that it was not, and why', async () => {
    const harmless = {
      ...number,
      id: 'x.harmless',
      find: 'const MAX_DIGITS = 38;',
      replace: 'const MAX_DIGITS = 38; ',
    };
    const unreadable = { ...number, id: 'x.unreadable', find: 'const MAX_DIGITS = 38;', replace: 'const = ;' };
    const drifted = { ...number, id: 'x.drifted', find: 'no such text' };
    const results = await mutate({
      breaks: [...breaks.filter(({ id }) => planted.includes(id)), harmless, unreadable, drifted],
      databaseUrl: inject('testServer').url,
      atATime: 1,
      maxMs: 120_000,
      say() {},
    });
    expect(Object.fromEntries(results.map(({ id, verdict }) => [id, verdict]))).toEqual({
      ...Object.fromEntries(planted.map((id) => [id, 'caught'])),
      'x.harmless': 'survived',
      'x.unreadable': 'no test ran',
      'x.drifted': 'drifted',
    });
  });
});
