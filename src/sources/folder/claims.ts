// Who takes which file. Claiming is one rename into a folder of our own, `taking/<claim>/`, so of two processes exactly one gets it, and a
// new file dropped under the same name can never be mistaken for the one being taken. While a claim is held its folder is
// touched; one that has not been for a while belongs to a dead process and may be taken over, again by one rename.
//
// A frozen process that wakes up after its claim was taken over finds its folder gone and has nothing left to move.
import { mkdir, readdir, rename, rmdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { failpoint } from '../../platform/failpoints.ts';
import { uuidv7 } from '../../platform/ids.ts';

export interface HeldFile {
  readonly folder: string;
  readonly name: string;
  readonly path: string;
  /** The holder touches its claim this often. */
  readonly touchEveryMs: number;
}

export class Claims {
  readonly #taking: string;
  readonly #lostMs: number;

  constructor(taking: string, lostMs: number) {
    this.#taking = taking;
    this.#lostMs = lostMs;
  }

  /** Undefined when somebody else was faster. */
  async claim(from: string, name: string): Promise<HeldFile | undefined> {
    const folder = join(this.#taking, uuidv7());
    await mkdir(folder);
    try {
      await rename(join(from, name), join(folder, name));
    } catch (error) {
      await rmdir(folder).catch(() => undefined);
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    failpoint('source.after_claim');
    return this.#held(folder, name);
  }

  async takeOver(abandoned: HeldFile): Promise<HeldFile | undefined> {
    const folder = join(this.#taking, uuidv7());
    try {
      await rename(abandoned.folder, folder);
      await touchClaim(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    return this.#held(folder, abandoned.name);
  }

  async listAbandoned(): Promise<HeldFile[]> {
    const found: HeldFile[] = [];
    for (const claim of await readdir(this.#taking)) {
      const folder = join(this.#taking, claim);
      const touchedAt = (await stat(folder).catch(() => undefined))?.mtimeMs;
      if (touchedAt === undefined || Date.now() - touchedAt < this.#lostMs) continue;
      const names = await readdir(folder).catch(() => [] as string[]);
      for (const name of names) found.push(this.#held(folder, name));
      // Killed between making the folder and moving the file, or after moving it on.
      if (names.length === 0) await rmdir(folder).catch(() => undefined);
    }
    return found;
  }

  #held(folder: string, name: string): HeldFile {
    return { folder, name, path: join(folder, name), touchEveryMs: Math.max(50, this.#lostMs / 4) };
  }
}

export async function touchClaim(folder: string): Promise<void> {
  const now = new Date();
  await utimes(folder, now, now);
}

/** Gives a claim up: anybody may take it over at once. */
export async function freeClaim(folder: string): Promise<void> {
  await utimes(folder, new Date(0), new Date(0)).catch(() => undefined);
}
