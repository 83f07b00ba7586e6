// Exports that no other file imports. An export is a promise to others; one that nobody takes up hides dead code, because the linter
// reports unused code only where it is private. A type may be exported for the signature that needs it, as long as its own file uses it.
// Reads the import and export lines themselves, like imports.ts: all of them are static and name their file.
import path from 'node:path';
import type { SourceFile } from './source-files.ts';

interface UnusedExport {
  readonly file: string;
  readonly line: number;
  readonly name: string;
}

/** Files whose exports are for others than our own files. */
const forOthers: readonly (readonly [file: RegExp, reason: string])[] = [
  [/^src\/index\.ts$/, 'the public library'],
  [/^src\/pipelines\/(?:[a-z-]+\/)?programs\.ts$/, 'what pipelines export to programs, through the public library'],
  [/^examples\//, 'modules that the product loads by PIPELINE_MODULES'],
];

const declared =
  /^export (?:declare )?(?:abstract )?(?:async )?(function\*?|const|let|class|interface|type|enum) ([\w$]+)/gm;
const listed = /^export (?:type )?\{([^}]*)\}(?! from);/gm;
const taken = /^\s*(?:import|export)\s+(?:type\s+)?([^'"`;]*?)\s*from\s+['"](\.[^'"]+)['"]/gm;
const loaded = /\bimport\(\s*['"](\.[^'"]+)['"]\s*\)/g;

export function findUnusedExports(files: readonly SourceFile[]): UnusedExport[] {
  const used = new Set(files.flatMap(namesTaken));
  const whole = new Map<string, SourceFile[]>();
  for (const file of files)
    for (const target of filesTakenWhole(file)) whole.set(target, [...(whole.get(target) ?? []), file]);
  const isUsed = (file: string, name: string) =>
    used.has(`${file} ${name}`) || (whole.get(file) ?? []).some(({ text }) => timesNamed(text, name) > 0);
  return files
    .filter(({ name }) => /\.tsx?$/.test(name) && !forOthers.some(([file]) => file.test(name)))
    .flatMap(({ name: file, text }) =>
      exportsOf(text)
        .filter(({ name, isType }) => !isUsed(file, name) && !(isType && timesNamed(text, name) > 1))
        .map(({ name, index }) => ({ file, name, line: text.slice(0, index).split('\n').length })),
    );
}

function exportsOf(text: string): { name: string; isType: boolean; index: number }[] {
  const single = [...text.matchAll(declared)].map(({ 1: kind, 2: name = '', index }) => {
    return { name, isType: kind === 'interface' || kind === 'type', index };
  });
  const many = [...text.matchAll(listed)].flatMap(({ 1: list = '', index }) =>
    namesIn(list).map(({ as }) => ({ name: as, isType: false, index })),
  );
  return [...single, ...many].filter(({ name }) => name !== 'default');
}

/** "file name" of everything that the file imports or passes on by name. */
function namesTaken({ name, text }: SourceFile): string[] {
  return [...text.matchAll(taken)].flatMap((match) => {
    const [, list] = /\{([^}]*)\}/.exec(match[1] ?? '') ?? [];
    const target = resolve(name, match[2] ?? '');
    return namesIn(list ?? '').map(({ name: each }) => `${target} ${each}`);
  });
}

/** Files that it imports as one object, or passes on with all they export. */
function filesTakenWhole({ name, text }: SourceFile): string[] {
  const starred = [...text.matchAll(taken)].filter((match) => match[1]?.includes('*')).map((match) => match[2] ?? '');
  return [...starred, ...[...text.matchAll(loaded)].map((match) => match[1] ?? '')].map((to) => resolve(name, to));
}

function namesIn(list: string): { name: string; as: string }[] {
  return list
    .replaceAll(/\/\/.*$/gm, '')
    .split(',')
    .map((part) => part.trim().replace(/^type /, ''))
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', as = name] = part.split(/ as /);
      return { name, as };
    });
}

const resolve = (from: string, to: string) => path.posix.join(path.posix.dirname(from), to);

function timesNamed(text: string, name: string): number {
  return text.match(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g'))?.length ?? 0;
}
