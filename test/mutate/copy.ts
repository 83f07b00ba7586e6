// A copy of the source tree in which faults may be planted: everything the tests read, with the dependencies of the original.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Break } from './break.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const copied = ['src', 'test', 'db', 'samples', 'examples', 'console/src', 'package.json', 'vitest.config.ts'];
/** The weights of the models: faults are planted in what loads them, not in them. */
const linked = ['models'];
const configs = ['tsconfig.json', 'tsconfig.build.json', 'tsconfig.programs.json'];

export interface TreeCopy {
  readonly folder: string;
  /** Plants the fault for the time of `fn`. */
  withBreak<T>(planted: Break, fn: () => Promise<T>): Promise<T>;
  remove(): void;
}

export function copyTree(): TreeCopy {
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-mutate-'));
  chmodSync(folder, 0o755);
  mkdirSync(path.join(folder, 'dist'));
  for (const name of [...copied, ...configs])
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  for (const name of [...linked, ...builtParts()])
    if (existsSync(path.join(root, name))) symlinkSync(path.join(root, name), path.join(folder, name));
  return {
    folder,
    async withBreak(planted, fn) {
      const file = path.join(folder, planted.file);
      const whole = readFileSync(file, 'utf8');
      // A function, so that "$1" of a statement stays what it is.
      writeFileSync(
        file,
        whole.replace(planted.find, () => planted.replace),
      );
      try {
        return await fn();
      } finally {
        writeFileSync(file, whole);
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The built product, for tests that start it. Not the programs of tests: each copy compiles its own, with its fault, and would leave them to everybody. */
function builtParts(): string[] {
  const dist = path.join(root, 'dist');
  if (!existsSync(dist)) return [];
  return readdirSync(dist)
    .filter((name) => !name.startsWith('programs'))
    .map((name) => path.join('dist', name));
}

/** Breaks that no longer fit the source, each with the reason: a find string must stand in its file exactly once. */
export function findDrift(breaks: readonly Break[]): { readonly id: string; readonly why: string }[] {
  return breaks.flatMap(({ id, file, find, replace }) => {
    const times = readFileSync(path.join(root, file), 'utf8').split(find).length - 1;
    if (times !== 1) return [{ id, why: `its find string stands ${times} times in ${file}` }];
    return find === replace ? [{ id, why: 'it changes nothing' }] : [];
  });
}
