// Programs of the bench and chaos suites run as compiled JavaScript in processes of their own: a loader that compiles on
// the fly costs each start half a second and each closure a little, which is not what is being measured or killed.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const compiledRoot = import.meta.url.endsWith('.js') ? root : path.join(root, 'dist', 'programs');

/** Compiles src, test/bench/queue and test/chaos into dist/programs. */
export function compilePrograms(): void {
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.programs.json')], {
    encoding: 'utf8',
  });
  // What the code finds two folders up, wherever it lies.
  for (const name of ['db', 'package.json']) {
    rmSync(path.join(compiledRoot, name), { force: true });
    symlinkSync(path.join(root, name), path.join(compiledRoot, name));
  }
  if (!existsSync(programFile('test/bench/queue/child.ts'))) throw new Error(`programs did not compile: ${stdout}`);
}

/** Where the compiled form of a source file of this repository lies. */
export function programFile(source: string): string {
  return path.join(compiledRoot, source.replace(/\.ts$/, '.js'));
}
