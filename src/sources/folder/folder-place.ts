// A folder that a source lists and leaves as it is. Links are neither listed nor followed, and a directory that was replaced by a link
// between listing and reading is found out by its real path.
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rename } from 'node:fs/promises';
import path from 'node:path';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { changing, type ListedPart, type Place, type PlacedObject } from '../place.ts';
import { directoriesBelow, type Entry, walkDirectories } from '../walk-directories.ts';

export interface FolderPlaceOptions {
  readonly directory: string;
  /** For uris: folder://<name>/<key>. */
  readonly name: string;
  /** Left out: taken files stay. Its directory is not listed. */
  readonly moveTo?: string | undefined;
}

const READS_AT_ONCE = 4;

export class FolderPlace implements Place {
  readonly address: string;
  readonly readsAtOnce = READS_AT_ONCE;
  readonly readsExactly = false;
  readonly #root: string;
  readonly #name: string;
  readonly #moveTo: string | undefined;

  constructor(options: FolderPlaceOptions) {
    this.#root = path.resolve(options.directory);
    this.#name = options.name;
    this.#moveTo = options.moveTo;
    this.address = `folder://${this.#root}`;
  }

  uriOf(key: string): string {
    return `folder://${this.#name}/${key}`;
  }

  async *list(part: ListedPart, signal: AbortSignal) {
    yield* walkDirectories({ ...part, signal, entries: (directory) => this.#entries(directory) });
  }

  directories(prefix: string, limit: number): Promise<readonly string[]> {
    return directoriesBelow(prefix, limit, (directory) => this.#entries(directory));
  }

  async *read(object: PlacedObject, _signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const file = await open(await this.#pathOf(object.key), constants.O_RDONLY | constants.O_NOFOLLOW).catch(
      (error) => {
        throw faultOfFile(error, object.key);
      },
    );
    try {
      const facts = await file.stat({ bigint: true });
      if (markOf(facts) !== object.mark) throw changing(object.key);
      yield* file.createReadStream({ autoClose: false });
    } finally {
      await file.close();
    }
  }

  async look(key: string): Promise<PlacedObject | undefined> {
    const facts = await lstat(await this.#pathOf(key), { bigint: true }).catch((error: NodeJS.ErrnoException) => {
      if (isGone(error)) return undefined;
      throw faultOfFile(error, key);
    });
    if (facts === undefined || !facts.isFile()) return undefined;
    return { key, bytes: Number(facts.size), modifiedAt: facts.mtime, mark: markOf(facts) };
  }

  async putAway(object: PlacedObject, how: 'move' | 'tag'): Promise<void> {
    if (how === 'tag') throw new MillraceError('source_settings_invalid', { faults: 'a folder knows no tags' });
    if (this.#moveTo === undefined) throw new Error('taken files of this folder are not moved');
    const key = path.posix.join(this.#moveTo, object.key);
    const from = await this.#pathOf(object.key);
    if ((await this.look(object.key))?.mark !== object.mark) return;
    await this.#makeDirectories(path.posix.dirname(key));
    await rename(from, await this.#pathOf(key));
  }

  async wasMoved(key: string): Promise<boolean> {
    return this.#moveTo !== undefined && (await this.look(path.posix.join(this.#moveTo, key))) !== undefined;
  }

  async close(): Promise<void> {}

  async #entries(directory: string): Promise<Entry[]> {
    const own = await this.#pathOf(directory);
    const found = await readdir(own, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (directory === '') throw faultOfPlace(error);
      // Gone since its parent was listed: its files are gone too, and a directory we may not enter proves nothing.
      if (error.code === 'ENOENT') return [];
      throw faultOfPlace(error);
    });
    const away = this.#moveTo?.replace(/\/*$/, '');
    const entries: Entry[] = [];
    for (const entry of found) {
      if (`${directory}${entry.name}` === away || !(entry.isDirectory() || entry.isFile())) continue;
      if (entry.isDirectory()) {
        entries.push({ name: entry.name, isDirectory: true, isFile: false, bytes: 0, modifiedAt: null, mark: '' });
        continue;
      }
      const facts = await lstat(path.join(own, entry.name), { bigint: true }).catch((error: NodeJS.ErrnoException) => {
        if (isGone(error)) return undefined;
        // A directory may be listed and not entered: its names are seen, its files are not.
        throw faultOfPlace(error);
      });
      if (facts?.isFile() !== true) {
        // A name that is no text cannot be asked for; it is listed nevertheless, so that it is said.
        if (entry.name.includes('\uFFFD')) entries.push(unnamed(entry.name));
        continue;
      }
      const about = { bytes: Number(facts.size), modifiedAt: facts.mtime, mark: markOf(facts) };
      entries.push({ name: entry.name, isDirectory: false, isFile: true, ...about });
    }
    return entries;
  }

  /** One after the other: behind a link that leads out of the root none is made. */
  async #makeDirectories(directory: string): Promise<void> {
    const parts = directory.split('/');
    for (const [index] of parts.entries()) {
      const own = await this.#pathOf(parts.slice(0, index + 1).join('/'));
      await mkdir(own).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
    }
  }

  /** Below the root, by its real path. */
  async #pathOf(key: string): Promise<string> {
    const root = await realpath(this.#root).catch((error) => {
      throw faultOfPlace(error);
    });
    const wanted = path.join(root, key);
    const parent = await realpath(key === '' || key.endsWith('/') ? wanted : path.dirname(wanted)).catch(() => root);
    if (parent !== root && !parent.startsWith(root + path.sep))
      throw new MillraceError('source_object_denied', { name: path.basename(key) });
    return wanted;
  }
}

/** Other failures say nothing of whether it is there. */
function isGone({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function unnamed(name: string): Entry {
  return { name, isDirectory: false, isFile: true, bytes: 0, modifiedAt: null, mark: 'unnamed' };
}

function markOf({
  size,
  mtimeNs,
  ino,
}: {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ino: bigint;
}): string {
  return `file:${size}:${mtimeNs}:${ino}`;
}

function faultOfFile(error: NodeJS.ErrnoException, key: string): MillraceError {
  const name = path.basename(key);
  if (error.code === 'ENOENT') return new MillraceError('source_object_gone', { name }, { cause: error });
  if (error.code === 'ELOOP') return changing(key);
  if (error.code === 'EACCES' || error.code === 'EPERM')
    return new MillraceError('source_object_denied', { name }, { cause: error });
  return new MillraceError('source_unreachable', { reason: error.code ?? error.name }, { cause: error });
}

function faultOfPlace(error: NodeJS.ErrnoException): MillraceError {
  const reason = error.code ?? error.name;
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    return new MillraceError('source_place_gone', { reason }, { cause: error });
  if (error.code === 'EACCES' || error.code === 'EPERM')
    return new MillraceError('source_denied', { reason }, { cause: error });
  return new MillraceError('source_unreachable', { reason }, { cause: error });
}
