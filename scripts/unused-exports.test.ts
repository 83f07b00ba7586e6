import { describe, expect, it } from 'vitest';
import { exportsForNobody } from './rules.ts';
import { findUnusedExports } from './unused-exports.ts';

const unused = (files: Readonly<Record<string, string>>) =>
  findUnusedExports(Object.entries(files).map(([name, text]) => ({ name, text }))).map(
    ({ file, line, name }) => `${file}:${line} ${name}`,
  );

describe('exports that nobody imports', () => {
  it('are found with their line, whatever is exported and whoever uses it inside its own file', () => {
    const text = 'const a = 1;\nexport const b = a;\nexport async function c() {\n  return b;\n}\nexport class D {}\n';
    expect(unused({ 'src/a.ts': text })).toEqual(['src/a.ts:2 b', 'src/a.ts:3 c', 'src/a.ts:6 D']);
    expect(unused({ 'src/a.ts': 'const a = 1;\nexport { a };\n' })).toEqual(['src/a.ts:2 a']);
  });

  it('are not those that another file imports, passes on, or loads when it needs them', () => {
    const a = 'export const b = 1;\n';
    for (const other of [
      "import { b } from './a.ts';",
      "import {\n  other,\n  b as renamed,\n} from './a.ts';",
      "export { b } from './a.ts';",
      "import * as all from './a.ts';\nall.b();",
      "const { b } = await import('./a.ts');",
    ])
      expect(unused({ 'src/a.ts': a, 'src/other.test.ts': other })).toEqual([]);
    expect(unused({ 'src/a.ts': a, 'src/other.ts': "import { b } from './elsewhere.ts';" })).toHaveLength(1);
    expect(unused({ 'src/a.ts': a, 'src/other.ts': "import * as all from './a.ts';\nall.c();" })).toHaveLength(1);
  });

  it('may be types of a signature, but not types that nothing names', () => {
    expect(unused({ 'src/a.ts': 'export interface Options {}\n' })).toEqual(['src/a.ts:1 Options']);
    const used = 'export interface Options {}\nexport function a(options: Options) {}\n';
    expect(unused({ 'src/a.ts': used, 'src/b.ts': "import { a } from './a.ts';" })).toEqual([]);
  });

  it('may be for programs and for the loader of modules', () => {
    for (const file of ['src/index.ts', 'src/pipelines/x/programs.ts', 'examples/x/x.ts'])
      expect(unused({ [file]: 'export const a = 1;\n' })).toEqual([]);
  });

  it('are a finding of our rules that says what to do', () => {
    expect(exportsForNobody([{ name: 'src/a.ts', text: 'export const a = 1;\n' }])).toEqual([
      { file: 'src/a.ts', line: 1, rule: 'no other file imports a: make it private, or delete it' },
    ]);
  });
});
