// Blobs as files under one folder: `<root>/<tenant>/<blob>.<ext>`, written first to `<root>/.incoming`.
//
// Order of a put: temporary file (O_EXCL) → bytes → fsync → link to its name (refuses an existing one) → fsync of the folder →
// remove the temporary name. Killed at any point, either the whole blob is there or only a temporary file that
// removeUnfinished takes away. A live put touches its temporary file, so age tells the dead from the slow.
import { constants } from 'node:fs';
import { access, type FileHandle, link, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { failpoint } from '../failpoints.ts';
import { uuidv7 } from '../ids.ts';
import { makeFolder } from '../make-folder.ts';
import { type BlobKey, isBlobKey, parseBlobKey } from './blob-key.ts';
import type { BlobInfo, BlobStore, PutOptions, StoredBlob } from './blob-store.ts';
import { ByteMeter, untilAborted } from './byte-meter.ts';
import { translateDiskError } from './disk-errors.ts';
import { FileAppender } from './file-appender.ts';

const incomingFolder = '.incoming';
const touchEveryMs = 15_000;
const readChunkBytes = 256 * 1024;
const createNew = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;

/** What put does to its temporary file; tests pass a file that fails. */
export type OpenNewFile = (path: string) => Promise<FileHandle>;

export interface DiskBlobStoreOptions {
  readonly root: string;
  readonly openNewFile?: OpenNewFile;
}

export class DiskBlobStore implements BlobStore {
  readonly root: string;
  readonly #incoming: string;
  readonly #openNewFile: OpenNewFile;

  constructor(options: DiskBlobStoreOptions) {
    this.root = resolve(options.root);
    this.#incoming = join(this.root, incomingFolder);
    this.#openNewFile = options.openNewFile ?? ((path) => open(path, createNew, 0o600));
  }

  async put(key: BlobKey, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredBlob> {
    const path = this.#pathOf(key);
    const temporary = join(this.#incoming, `${uuidv7()}.part`);
    try {
      const stored = await this.#writeTemporary(temporary, body, options);
      options.signal?.throwIfAborted();
      failpoint('blob.after_write');
      await this.#publish(temporary, path, key);
      return stored;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw translateDiskError(error, this.root);
    }
  }

  async get(key: BlobKey, options: { readonly start?: number; readonly signal?: AbortSignal } = {}): Promise<Readable> {
    const path = this.#pathOf(key);
    try {
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
      const { signal, start = 0 } = options;
      return file.createReadStream({
        highWaterMark: readChunkBytes,
        start,
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      if (isMissing(error)) throw new MillraceError('blob_missing', { blob: key }, { cause: error });
      throw translateDiskError(error, this.root);
    }
  }

  async head(key: BlobKey): Promise<BlobInfo | undefined> {
    const path = this.#pathOf(key);
    try {
      const found = await stat(path);
      return { key, bytes: found.size, storedAt: found.mtime };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw translateDiskError(error, this.root);
    }
  }

  async delete(key: BlobKey): Promise<void> {
    try {
      await rm(this.#pathOf(key), { force: true });
    } catch (error) {
      throw translateDiskError(error, this.root);
    }
  }

  async *listStoredBefore(before: Date): AsyncGenerator<BlobInfo> {
    for await (const tenant of entriesOf(this.root)) {
      if (tenant === incomingFolder) continue;
      for await (const name of entriesOf(join(this.root, tenant))) {
        const key = `${tenant}/${name}`;
        if (!isBlobKey(key)) continue;
        const info = await this.head(key);
        if (info !== undefined && info.storedAt < before) yield info;
      }
    }
  }

  async removeUnfinished(olderThanMs: number): Promise<number> {
    let removed = 0;
    const limit = Date.now() - olderThanMs;
    for await (const name of entriesOf(this.#incoming)) {
      const path = join(this.#incoming, name);
      const found = await stat(path).catch(() => undefined);
      if (found === undefined || found.mtimeMs >= limit) continue;
      await rm(path, { force: true });
      removed += 1;
    }
    return removed;
  }

  async check(): Promise<void> {
    try {
      makeFolder(this.#incoming, 0o700);
      await access(this.#incoming, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw translateDiskError(error, this.root);
    }
  }

  async close(): Promise<void> {}

  uriOf(key: BlobKey): string {
    return pathToFileURL(this.#pathOf(key)).href;
  }

  keyOf(uri: string): BlobKey | undefined {
    if (!uri.startsWith('file:///') || /%2f|%5c|%00/i.test(uri)) return undefined;
    const key = relative(this.root, fileURLToPath(uri));
    return isBlobKey(key) ? key : undefined;
  }

  #pathOf(key: BlobKey): string {
    return join(this.root, parseBlobKey(key));
  }

  async #writeTemporary(path: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredBlob> {
    options.signal?.throwIfAborted();
    const file = await this.#openTemporary(path);
    const touch = setInterval(() => touchFile(file), touchEveryMs).unref();
    const appender = new FileAppender(file);
    try {
      const meter = new ByteMeter(options.maxBytes);
      for await (const chunk of untilAborted(body, options.signal)) {
        meter.take(chunk);
        const room = appender.add(chunk);
        if (room !== undefined) await room;
      }
      await appender.finish();
      await file.sync();
      return meter.finish();
    } finally {
      clearInterval(touch);
      await appender.close();
      await file.close();
    }
  }

  async #openTemporary(path: string): Promise<FileHandle> {
    try {
      return await this.#openNewFile(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await mkdir(this.#incoming, { recursive: true, mode: 0o700 });
      return this.#openNewFile(path);
    }
  }

  async #publish(temporary: string, path: string, key: BlobKey): Promise<void> {
    await linkIntoPlace(temporary, path, key, this.root);
    failpoint('blob.after_rename');
    try {
      await syncFolder(dirname(path));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    await rm(temporary, { force: true });
  }
}

async function linkIntoPlace(temporary: string, path: string, key: BlobKey, root: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new MillraceError('blob_exists', { key }, { cause: error });
    if (code === 'ENOENT') {
      // The tenant's first blob. When the temporary file itself was taken away, the second link says so.
      await mkdir(dirname(path), { mode: 0o700 }).catch(ignoreExisting);
      await syncFolder(root);
      await link(temporary, path);
    } else if (code === 'EPERM' || code === 'ENOTSUP' || code === 'EOPNOTSUPP') {
      // A file system without hard links. Keys are never given out twice, so nothing can be overwritten.
      await rename(temporary, path);
    } else {
      throw error;
    }
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function* entriesOf(path: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(path)) yield entry.name;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw translateDiskError(error, path);
  }
}

function touchFile(file: FileHandle): void {
  const now = new Date();
  file.utimes(now, now).catch(() => undefined);
}

function ignoreExisting(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
