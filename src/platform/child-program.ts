// The program of a child process: the module beside the one that starts it, compiled or, in tests and on a developer's machine, as TypeScript.
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The file of `name` beside the module `startedBy` (its `import.meta.url`), with that module's ending. */
export function programBeside(startedBy: string, name: string): string {
  return fileURLToPath(new URL(`./${name}.${startedBy.endsWith('.ts') ? 'ts' : 'js'}`, startedBy));
}

/** What Node needs to run it: a TypeScript program needs the loader that the tests have. */
export function loaderArguments(program: string): string[] {
  if (!program.endsWith('.ts')) return [];
  return ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href];
}
