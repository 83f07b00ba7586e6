// Which part may import which: only downward, no cycles, tests never from the product. Reads the import lines themselves
// (all imports here are static and name their file), so it needs no compiler.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFiles } from './source-files.ts';

export interface Import {
  readonly from: string;
  readonly to: string;
  readonly line: number;
}

export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

/** main → roles → pipelines → http, cli → sources, tabular, access, outbound → engine → platform → contract. */
const tiers: readonly (readonly string[])[] = [
  ['contract'],
  ['platform'],
  ['engine'],
  ['sources', 'tabular', 'access', 'outbound'],
  ['http', 'cli'],
  ['pipelines'],
  ['roles'],
  ['main'],
];

/** What each layer may import beside itself: everything on the tiers below its own, nothing beside it. */
const below: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  tiers.flatMap((layers, tier) => layers.map((layer) => [layer, tiers.slice(0, tier).reverse().flat()])),
);

const importLine =
  /^\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]\s*\)/gm;

const isTest = (file: string) => /\.test\.tsx?$/.test(file);

export function findImports(file: string, text: string): Import[] {
  return [...text.matchAll(importLine)].map((match) => ({
    from: file,
    to: path.posix.join(path.posix.dirname(file), match[1] ?? match[2] ?? ''),
    line: text.slice(0, match.index + match[0].length).split('\n').length,
  }));
}

export function checkLayers(imports: readonly Import[]): Violation[] {
  return imports.flatMap((each) => {
    const what = forbidden(each.from, each.to);
    return what === undefined ? [] : [{ file: each.from, line: each.line, what: `${what}: ${each.to}` }];
  });
}

function forbidden(from: string, to: string): string | undefined {
  const [folder, layer = ''] = from.split('/');
  const target = to.split('/');
  if (folder === 'src') {
    if (isTest(from)) return undefined;
    if (target[0] !== 'src') return 'the product imports nothing from outside src';
    if (isTest(to)) return 'the product imports no tests';
    const layers = below[layer];
    if (layers === undefined || target[1] === layer || layers.includes(target[1] ?? '')) return undefined;
    return `${layer} may import only ${layers.join(', ') || 'itself'}`;
  }
  if (from.startsWith('test/acceptance/') && target[0] === 'src')
    return 'acceptance tests know only HTTP and the command line';
  if (folder === 'console' && target[0] === 'src' && target[1] !== 'contract')
    return 'the console imports only src/contract';
  return undefined;
}

/** Each cycle once, as the files on it. */
export function findCycles(imports: readonly Import[]): string[][] {
  const graph = new Map<string, string[]>();
  for (const { from, to } of imports) graph.set(from, [...(graph.get(from) ?? []), to]);
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (file: string, trail: string[]): void => {
    const at = trail.indexOf(file);
    if (at >= 0) {
      cycles.push(trail.slice(at));
      return;
    }
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}

/** Imports of files that do not exist. */
function findMissing(imports: readonly Import[], root: string): Violation[] {
  return imports
    .filter(({ from, to }) => from.startsWith('src/') && !existsSync(path.join(root, to)))
    .map(({ from, to, line }) => ({ file: from, line, what: `there is no ${to}` }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const files = listFiles(root, ['src', 'test', 'scripts', 'examples', 'console'], /\.tsx?$/);
  const imports = files.flatMap((file) => findImports(file, readFileSync(path.join(root, file), 'utf8')));
  const violations = [...checkLayers(imports), ...findMissing(imports, root)];
  const cycles = findCycles(imports.filter(({ from }) => !isTest(from)));
  for (const { file, line, what } of violations) console.log(`${file}:${line}  ${what}`);
  for (const cycle of cycles) console.log(`${cycle[0]}  imports itself through ${cycle.slice(1).join(' → ')}`);
  if (violations.length + cycles.length > 0) process.exitCode = 1;
  else console.log(`${files.length} files, ${imports.length} imports, none upward, no cycle`);
}
