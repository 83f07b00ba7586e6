// Which part of a place is asked for: nothing that belongs to a source may be left out of it.
import { expect, it } from 'vitest';
import { listedPrefix, reachesInto } from './listed-part.ts';
import { belongsTo, faultOfPattern, type Scope } from './scope.ts';

/** The directories on the way down to a key. */
const above = (key: string) => [...key.matchAll(/\//g)].map(({ index }) => key.slice(0, index + 1));
const scopeOf = (over: Partial<Scope>): Scope => ({ prefix: '', include: [], exclude: [], ...over });

const directories = ['a/', 'a/b/', 'ab/', 'archive/', 'archive/drafts/'];

it.each([
  [[], directories],
  [['archive/**'], ['a/', 'a/b/', 'ab/']],
  [['**/drafts/**'], ['a/', 'a/b/', 'ab/', 'archive/']],
  [['a*/**'], []],
  [['{a,archive}/**'], ['ab/']],
  [['a/*', 'archive', 'archive/', '*.pdf'], directories],
])('a directory is not listed if exclude patterns (%j) fit everything in it', (exclude, entered) => {
  const reaches = reachesInto(scopeOf({ exclude }));
  expect(directories.filter((directory) => above(`${directory}file`).every(reaches))).toEqual(entered);
});

it.each([
  [['*.pdf'], directories],
  [['a/*.pdf'], ['a/']],
  [['a/**/*.pdf'], ['a/', 'a/b/']],
  [['*/b/x.pdf'], ['a/', 'a/b/', 'ab/', 'archive/']],
  [
    ['a/b/x.pdf', 'archive/*'],
    ['a/', 'a/b/', 'archive/'],
  ],
  [['a?/**'], ['ab/']],
  // Where it is not sure, it is listed.
  [['{a,x}/*.pdf'], directories],
])('a directory is not listed if no include pattern (%j) fits anything in it', (include, reached) => {
  const reaches = reachesInto(scopeOf({ include }));
  expect(directories.filter((directory) => above(`${directory}file`).every(reaches))).toEqual(reached);
});

it.each([
  ['', [], ''],
  ['', ['contracts/**'], 'contracts/'],
  ['', ['contracts/2026-*/*.pdf', 'contracts/2025-*/*.pdf'], 'contracts/202'],
  ['', ['contracts/**', '*.pdf'], ''],
  ['', ['a/**', 'b/**'], ''],
  ['con', ['contracts/**'], 'contracts/'],
  ['contracts/2026/', ['contracts/**'], 'contracts/2026/'],
  ['other/', ['contracts/**'], 'other/'],
  ['', ['./a/*'], ''],
  ['', ['a\\[1\\]/*'], 'a'],
])('of prefix "%s" with include patterns %j is listed "%s"', (prefix, include, listed) => {
  expect(listedPrefix(scopeOf({ prefix, include }))).toBe(listed);
});

it('no key that belongs to a source is left out of what is listed, whatever its patterns', () => {
  // As in other places of chance: the same numbers every time.
  let state = 20;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const one = <T>(from: readonly T[]): T => from[random(from.length)] as T;
  const names = ['a', 'b', 'ab', 'a b', '[a]', 'a+', 'ä', 'x.csv', 'a.b', '-', '!a', 'a\\'];
  const patternParts = [
    ...['**', '*', 'a*', '*b', '?', 'a', 'b', 'ab', '{a,b}', '[ab]', '!(a)', '+(a|b)', '!a', '**a', '\\[a\\]', '*.csv'],
    ...['a b', '"a"', 'a+', '.', '', '[!a]', '@(a)', 'x.csv', '{a', 'b}', '(a', 'b)', 'a\\'],
  ];
  const times = (most: number) => Array.from({ length: 1 + random(most) });
  let belonging = 0;
  let spared = 0;
  for (let round = 0; round < 3_000; round += 1) {
    const patterns = () =>
      (random(3) === 0
        ? []
        : times(2).map(() =>
            times(4)
              .map(() => one(patternParts))
              .join('/'),
          )
      ).filter((pattern) => pattern !== '' && faultOfPattern(pattern) === undefined);
    const scope = scopeOf({ prefix: one(['', '', 'a', 'a/', 'b/a']), include: patterns(), exclude: patterns() });
    const belongs = belongsTo(scope);
    const reaches = reachesInto(scope);
    const listed = listedPrefix(scope);
    for (let tries = 0; tries < 8; tries += 1) {
      const key = times(5)
        .map(() => one(names))
        .join('/');
      const isListed = key.startsWith(listed) && above(key).every(reaches);
      if (!isListed) spared += 1;
      if (!belongs(key)) continue;
      belonging += 1;
      expect(isListed, JSON.stringify({ key, listed, ...scope })).toBe(true);
    }
  }
  // It says something only if there was much of both.
  expect(Math.min(belonging, spared)).toBeGreaterThan(1_000);
});
