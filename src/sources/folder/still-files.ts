// Tells files that are being written from files that are whole: size, time and inode must not have changed between looks that
// are at least `stillMs` apart. Our own monotonic clock counts, never the file's time against ours: a copy that keeps the old
// time looks old from its first byte on.
import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';

export type FileFacts = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>;

interface Look {
  readonly facts: FileFacts;
  readonly sinceMs: number;
}

export class StillFiles {
  readonly #stillMs: number;
  readonly #now: () => number;
  readonly #looks = new Map<string, Look>();

  constructor(stillMs: number, now: () => number) {
    this.#stillMs = stillMs;
    this.#now = now;
  }

  /** Looks at each file again; what has gone meanwhile is left out. */
  async observe<T extends { readonly path: string }>(files: readonly T[]): Promise<T[]> {
    const present: T[] = [];
    for (const file of files) {
      const stats = await lstat(file.path, { bigint: true }).catch(() => undefined);
      if (stats === undefined) continue;
      present.push(file);
      const before = this.#looks.get(file.path);
      if (before === undefined || !isSameFile(before.facts, stats)) {
        this.#looks.set(file.path, { facts: stats, sinceMs: this.#now() });
      }
    }
    return present;
  }

  oldestFirst<T extends { readonly path: string }>(files: readonly T[]): T[] {
    const nowMs = this.#now();
    const timeOf = (file: T) => this.#looks.get(file.path)?.facts.mtimeNs ?? 0n;
    return files
      .filter(({ path }) => nowMs - (this.#looks.get(path)?.sinceMs ?? nowMs) >= this.#stillMs)
      .toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : a.path < b.path ? -1 : 1));
  }

  isSame(path: string, facts: FileFacts): boolean {
    const look = this.#looks.get(path);
    return look !== undefined && isSameFile(look.facts, facts);
  }

  forgetAllBut(paths: readonly string[]): void {
    const kept = new Set(paths);
    for (const path of this.#looks.keys()) if (!kept.has(path)) this.#looks.delete(path);
  }
}

export function isSameFile(a: FileFacts, b: FileFacts): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}
