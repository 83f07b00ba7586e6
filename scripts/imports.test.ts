import { describe, expect, it } from 'vitest';
import { checkLayers, findCycles, findImports } from './imports.ts';

const between = (from: string, to: string) => ({ from, to, line: 1 });

describe('imports', () => {
  it('are found in every form', () => {
    const text = `import a from './a.ts';
import { type B,
  c } from '../b/b.ts';
import './side.ts';
export { d } from './d.ts';
export * from './e.ts';
const f = await import('./f.ts');
import pg from 'pg';
const text = 'import x from y';`;
    expect(findImports('src/engine/x.ts', text).map(({ to, line }) => [to, line])).toEqual([
      ['src/engine/a.ts', 1],
      ['src/b/b.ts', 3],
      ['src/engine/side.ts', 4],
      ['src/engine/d.ts', 5],
      ['src/engine/e.ts', 6],
      ['src/engine/f.ts', 7],
    ]);
  });

  it('go only downward', () => {
    const upward = [
      between('src/platform/a.ts', 'src/engine/b.ts'),
      between('src/contract/a.ts', 'src/platform/b.ts'),
      between('src/tabular/a.ts', 'src/sources/b.ts'),
      between('src/http/a.ts', 'src/roles/b.ts'),
      between('src/http/a.ts', 'src/pipelines/ads/kit.ts'),
      between('src/cli/a.ts', 'src/main/b.ts'),
      between('src/engine/a.ts', 'test/support/b.ts'),
      between('test/acceptance/a.test.ts', 'src/engine/b.ts'),
      between('console/src/a.tsx', 'src/engine/b.ts'),
    ];
    expect(checkLayers(upward)).toHaveLength(upward.length);
    const downward = [
      between('src/engine/a.ts', 'src/platform/b.ts'),
      between('src/roles/a.ts', 'src/http/b.ts'),
      between('src/pipelines/ads/http/a.ts', 'src/http/b.ts'),
      between('src/main/a.ts', 'src/roles/b.ts'),
      between('src/index.ts', 'src/roles/b.ts'),
      between('src/platform/a.test.ts', 'test/support/b.ts'),
      between('console/src/a.tsx', 'src/contract/b.ts'),
    ];
    expect(checkLayers(downward)).toEqual([]);
  });

  it('have no cycle', () => {
    expect(findCycles([between('a', 'b'), between('b', 'c'), between('c', 'a')])).toEqual([['a', 'b', 'c']]);
    expect(findCycles([between('a', 'b'), between('a', 'c'), between('b', 'c')])).toEqual([]);
  });
});
