// The source files of the repository, relative to its root, with forward slashes, in a fixed order.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

export interface SourceFile {
  readonly name: string;
  readonly text: string;
}

const skipped = ['node_modules', 'dist', 'results', 'screens'];

export function listFiles(root: string, folders: readonly string[], name: RegExp): string[] {
  return folders.flatMap((folder) => (existsSync(path.join(root, folder)) ? walk(root, folder, name) : []));
}

function walk(root: string, folder: string, name: RegExp): string[] {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  return entries.flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skipped.includes(entry.name) ? [] : walk(root, file, name);
    return name.test(entry.name) && !entry.name.endsWith('.d.ts') ? [file] : [];
  });
}
