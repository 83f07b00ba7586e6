// A watched folder. Files dropped into it are taken once they have been still for a while:
//
//   <folder>/report.csv                dropped here by people and programs
//   <folder>/taking/<claim>/report.csv held by the process that takes it (see claims.ts)
//   <folder>/accepted/report.csv       a run has it
//   <folder>/refused/report.csv        no run will have it; report.csv.reason.txt says why
//
// Only regular files directly in the folder count. Hidden and temporary names, links, pipes and sub-folders are left alone, and
// nothing outside the folder is ever read or written.
import { watch } from 'node:fs';
import { access, constants, mkdir, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Source, SourceItem } from '../source.ts';
import { ClaimedFile } from './claimed-file.ts';
import { Claims } from './claims.ts';
import { StillFiles } from './still-files.ts';
import { isTemporaryName } from './temporary-names.ts';

export interface FolderSourceOptions {
  readonly name: string;
  readonly folder: string;
  /** Size and time of a file must not have changed for this long. */
  readonly stillMs?: number;
  /** A claim whose holder has been silent for this long may be taken over. */
  readonly claimLostMs?: number;
  /** Monotonic milliseconds, for tests. */
  readonly now?: () => number;
}

const subfolders = { taking: 'taking', accepted: 'accepted', refused: 'refused' } as const;

export class FolderSource implements Source {
  readonly name: string;
  readonly #folder: string;
  readonly #still: StillFiles;
  readonly #claims: Claims;

  constructor(options: FolderSourceOptions) {
    this.name = options.name;
    this.#folder = options.folder;
    this.#still = new StillFiles(options.stillMs ?? 2_000, options.now ?? (() => performance.now()));
    this.#claims = new Claims(join(options.folder, subfolders.taking), options.claimLostMs ?? 60_000);
  }

  async check(): Promise<void> {
    try {
      await realpath(this.#folder);
      for (const name of Object.values(subfolders)) await mkdir(join(this.#folder, name), { recursive: true });
      for (const name of ['', ...Object.values(subfolders)]) {
        await access(join(this.#folder, name), constants.R_OK | constants.W_OK | constants.X_OK);
      }
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? 'it cannot be opened';
      throw new MillraceError('source_unusable', { source: this.name, reason }, { cause: error });
    }
  }

  async *discover(signal: AbortSignal): AsyncGenerator<SourceItem> {
    await this.check();
    const seen = [...(await this.#abandoned()), ...(await this.#dropped())];
    this.#still.forgetAllBut(seen.map(({ path }) => path));
    for (const { path, claim } of this.#still.oldestFirst(seen)) {
      if (signal.aborted) return;
      const claimed = await claim();
      if (claimed === undefined) continue;
      const file = await ClaimedFile.open(claimed, this.#folder);
      if (file === undefined) continue;
      // Another file may have come under this name since it was looked at: then it has to be still itself first.
      if (!this.#still.isSame(path, file.facts)) {
        await file.release();
        continue;
      }
      try {
        yield file;
      } finally {
        await file.close();
      }
    }
  }

  watch(hint: () => void): () => void {
    try {
      const watcher = watch(this.#folder, { persistent: false }, () => hint());
      watcher.on('error', () => watcher.close());
      return () => watcher.close();
    } catch {
      return () => undefined;
    }
  }

  async #dropped() {
    const entries = await readdir(this.#folder, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile() && !isTemporaryName(entry.name)).map(({ name }) => name);
    return this.#still.observe(
      names.map((name) => ({ path: join(this.#folder, name), claim: () => this.#claims.claim(this.#folder, name) })),
    );
  }

  async #abandoned() {
    const found = await this.#claims.listAbandoned();
    return this.#still.observe(found.map((held) => ({ path: held.path, claim: () => this.#claims.takeOver(held) })));
  }
}
