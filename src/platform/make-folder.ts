// Makes a folder and those above it that are missing. Node's own `recursive` never comes back where a file system says "no such
// folder" about a folder whose parent is there (/proc, some automounts): it tries for ever, at full speed, and no signal ends it.
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Throws what the file system says. A folder that is there already stays as it is. */
export function makeFolder(folder: string, mode?: number): void {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !isThere(at); at = path.dirname(at)) missing.unshift(at);
  for (const each of missing) makeOne(each, mode);
  if (missing.length === 0 && !statSync(folder).isDirectory()) mkdirSync(folder);
}

function isThere(at: string): boolean {
  return statSync(at, { throwIfNoEntry: false }) !== undefined;
}

function makeOne(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(folder).isDirectory()) throw error;
  }
}
