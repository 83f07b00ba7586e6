// Which keys belong to a source.
import { describe, expect, it } from 'vitest';
import { belongsTo, faultOfPattern, titleOf } from './scope.ts';

const keys = [
  'a.pdf',
  'a.PDF',
  'in/b.pdf',
  'in/deep/c.pdf',
  'in/deep/c.txt',
  'in/drafts/d.pdf',
  'inside.pdf',
  'in/[x].pdf',
  'in/.hidden.pdf',
  'in/folder/',
  'in/two\nlines.pdf',
];
const taken = (scope: { prefix?: string; include?: string[]; exclude?: string[] }) =>
  keys.filter(belongsTo({ prefix: '', include: [], exclude: [], ...scope }));

describe('a key belongs to a source', () => {
  it('by default, unless it stands for a folder', () => {
    expect(taken({})).toEqual(keys.filter((key) => key !== 'in/folder/'));
  });

  it('if it begins with the prefix, whatever signs that has', () => {
    expect(taken({ prefix: 'in/deep' })).toEqual(['in/deep/c.pdf', 'in/deep/c.txt']);
    expect(taken({ prefix: 'in/[' })).toEqual(['in/[x].pdf']);
    expect(taken({ prefix: 'IN/' })).toEqual([]);
  });

  it.each([
    [['*.txt'], ['in/deep/c.txt']],
    [['in/*.pdf'], ['in/b.pdf', 'in/[x].pdf', 'in/two\nlines.pdf']],
    [['in/**/*.pdf'], ['in/b.pdf', 'in/deep/c.pdf', 'in/drafts/d.pdf', 'in/[x].pdf', 'in/two\nlines.pdf']],
    [['a.{pdf,PDF}'], ['a.pdf', 'a.PDF']],
    [['?.pdf'], ['a.pdf', 'in/b.pdf', 'in/deep/c.pdf', 'in/drafts/d.pdf']],
    [
      ['in/deep/**', '*.PDF'],
      ['a.PDF', 'in/deep/c.pdf', 'in/deep/c.txt'],
    ],
    [['in/\\[x\\].pdf'], ['in/[x].pdf']],
    [['!*.pdf'], []],
  ])(
    'if it fits one of the patterns %j: without a slash in any directory, otherwise from the beginning',
    (include, found) => {
      expect(taken({ include })).toEqual(found);
    },
  );

  it('if it fits none of those that exclude, which outweigh those that include', () => {
    expect(taken({ include: ['in/**'], exclude: ['**/drafts/**', '*.txt', 'two*'] })).toEqual([
      'in/b.pdf',
      'in/deep/c.pdf',
      'in/[x].pdf',
    ]);
  });
});

it('a pattern that cannot be read is refused, with the reason', () => {
  expect(faultOfPattern('**/*.pdf')).toBeUndefined();
  expect(faultOfPattern('x'.repeat(70_000))).toMatch(/is not a pattern/);
});

it('a title is made of name, stem and path, and nothing else is replaced', () => {
  expect(titleOf('{stem} of {path} ({name}) {other}', 'in/deep/c.tar.gz')).toBe(
    'c.tar of in/deep/c.tar.gz (c.tar.gz) {other}',
  );
  expect(titleOf('{stem}', 'README')).toBe('README');
  expect(titleOf(null, 'a.pdf')).toBeUndefined();
});
