// Programs that tests, benches and chaos suites start run as compiled JavaScript in processes of their own: a loader that compiles on
// the fly costs each start half a second and each closure a little, which is not what is being measured or killed.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const compiledRoot = import.meta.url.endsWith('.js') ? root : path.join(root, 'dist', 'programs');
const config = path.join(root, 'tsconfig.programs.json');
const stamp = path.join(compiledRoot, 'compiled');
const lock = path.join(root, 'dist', 'programs.lock');
const staleLockMs = 120_000;

/**
 * Compiles src and the programs of the tests (see tsconfig.programs.json) into dist/programs, unless what is there is newer
 * than all of them. Safe when several test files ask at once: one compiles, the others wait.
 */
export function compilePrograms(): void {
  mkdirSync(path.dirname(lock), { recursive: true });
  while (!isFresh()) {
    if (!takeLock()) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      continue;
    }
    try {
      if (!isFresh()) compile();
      return;
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
}

/** A program to start, compiled before if need be. */
export function compiledProgram(source: string): string {
  compilePrograms();
  return programFile(source);
}

/** Where the compiled form of a source file of this repository lies. */
export function programFile(source: string): string {
  return path.join(compiledRoot, source.replace(/\.ts$/, '.js'));
}

// Beside what is there, which a test of another process may be starting this very moment, and put in its place when it is whole.
function compile(): void {
  const startedAt = new Date();
  const [next, last] = [`${compiledRoot}.next`, `${compiledRoot}.last`];
  rmSync(next, { recursive: true, force: true });
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', config, '--outDir', next], { encoding: 'utf8' });
  if (!existsSync(path.join(next, 'test/bench/queue/child.js'))) throw new Error(`programs did not compile: ${stdout}`);
  // What the code finds two folders up, wherever it lies.
  for (const name of ['db', 'package.json']) symlinkSync(path.join(root, name), path.join(next, name));
  // What was saved while it compiled is newer than this.
  const nextStamp = path.join(next, path.basename(stamp));
  writeFileSync(nextStamp, '');
  utimesSync(nextStamp, startedAt, startedAt);
  rmSync(last, { recursive: true, force: true });
  if (existsSync(compiledRoot)) renameSync(compiledRoot, last);
  renameSync(next, compiledRoot);
  rmSync(last, { recursive: true, force: true });
}

function isFresh(): boolean {
  if (!existsSync(stamp)) return false;
  const compiledAt = statSync(stamp).mtimeMs;
  if (existsSync(config) && statSync(config).mtimeMs > compiledAt) return false;
  return ['src', 'test'].every((folder) => newestIn(path.join(root, folder)) < compiledAt);
}

function newestIn(folder: string): number {
  const newest = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return newestIn(file);
    return entry.name.endsWith('.ts') ? statSync(file).mtimeMs : 0;
  });
  return Math.max(0, ...newest);
}

function takeLock(): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    // Whoever held it may have been killed.
    if (existsSync(lock) && Date.now() - statSync(lock).mtimeMs > staleLockMs)
      rmSync(lock, { recursive: true, force: true });
    return false;
  }
}
