// One file while this process holds it. Opened without following links; read through that one descriptor, so what is checked is what is
// read. Moves never overwrite: a name that is taken gets the item's own mark before its extension.
import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, rmdir, unlink, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { SourceItem } from '../source.ts';
import { freeClaim, type HeldFile, touchClaim } from './claims.ts';
import { type FileFacts, isSameFile } from './still-files.ts';

const readChunkBytes = 256 * 1024;
const maxNameBytes = 255;
const reasonEnding = '.reason.txt';
// Without O_NONBLOCK, opening a pipe put in place of the file would wait for a writer for ever.
const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class ClaimedFile implements SourceItem {
  readonly name: string;
  readonly facts: FileFacts;
  readonly #held: HeldFile;
  readonly #root: string;
  readonly #touching: NodeJS.Timeout;
  #handle: FileHandle | undefined;

  private constructor(held: HeldFile, root: string, facts: FileFacts) {
    this.name = held.name;
    this.facts = facts;
    this.#held = held;
    this.#root = root;
    this.#touching = setInterval(() => {
      touchClaim(held.folder).catch(() => undefined);
    }, held.touchEveryMs).unref();
  }

  /** Undefined when the file has gone meanwhile. */
  static async open(held: HeldFile, root: string): Promise<ClaimedFile | undefined> {
    const facts = await lstat(held.path, { bigint: true }).catch(() => undefined);
    return facts === undefined ? undefined : new ClaimedFile(held, root, facts);
  }

  get bytes(): number {
    return Number(this.facts.size);
  }

  get modifiedAt(): Date {
    return new Date(Number(this.facts.mtimeNs / 1_000_000n));
  }

  get identity(): string {
    return createHash('sha256').update(`${this.name}\0${this.facts.size}\0${this.facts.mtimeNs}`).digest('hex');
  }

  async *read(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const handle = await this.#open();
    yield* handle.createReadStream({ highWaterMark: readChunkBytes, start: 0, autoClose: false, signal });
  }

  async isUnchanged(): Promise<boolean> {
    const stats = await this.#handle?.stat({ bigint: true });
    return stats !== undefined && isSameFile(this.facts, stats);
  }

  async accepted(_runId: string): Promise<void> {
    await this.#moveTo('accepted');
  }

  async refused(reason: MillraceError): Promise<void> {
    await this.#moveTo('refused', (path) => writeFile(`${path}${reasonEnding}`, reasonText(this.name, reason)));
  }

  async release(): Promise<void> {
    await this.close();
    await freeClaim(this.#held.folder);
  }

  async close(): Promise<void> {
    clearInterval(this.#touching);
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #open(): Promise<FileHandle> {
    try {
      this.#handle = await open(this.#held.path, readOnly);
      const stats = await this.#handle.stat({ bigint: true });
      if (!stats.isFile()) throw Object.assign(new Error('not a file'), { code: 'it is not a regular file' });
      if (!isSameFile(this.facts, stats)) throw new MillraceError('source_file_changing', { name: this.name });
      return this.#handle;
    } catch (error) {
      if (error instanceof MillraceError) throw error;
      const { code = 'it cannot be opened' } = error as NodeJS.ErrnoException;
      // Not for lack of permission but because it has gone or this process is short of descriptors: try again.
      if (['ENOENT', 'EMFILE', 'ENFILE', 'EIO', 'ESTALE'].includes(code)) {
        throw new MillraceError('source_file_changing', { name: this.name }, { cause: error });
      }
      throw new MillraceError('source_file_unreadable', { name: this.name, reason: code }, { cause: error });
    }
  }

  /** `beforeLeaving` runs when the file is in its new place and not yet gone from the old: killed there, all is repeated. */
  async #moveTo(subfolder: 'accepted' | 'refused', beforeLeaving?: (path: string) => Promise<void>): Promise<void> {
    await this.close();
    const target = join(this.#root, subfolder);
    try {
      for (const name of [
        this.name,
        markedName(this.name, this.identity.slice(0, 12)),
        markedName(this.name, this.identity),
      ]) {
        const path = join(target, fitting(name));
        const placed = await place(this.#held.path, path);
        if (placed === 'taken') continue;
        await beforeLeaving?.(path);
        if (placed === 'linked') await unlink(this.#held.path);
        break;
      }
      await rmdir(this.#held.folder);
    } catch (error) {
      // Another process took the claim over while this one was frozen, and moves the file.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

async function place(from: string, to: string): Promise<'linked' | 'moved' | 'taken'> {
  try {
    await link(from, to);
    return 'linked';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return (await isSameInode(from, to)) ? 'linked' : 'taken';
    // Links of links and file systems without hard links.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'EMLINK') throw error;
    if ((await lstat(to).catch(() => undefined)) !== undefined) return 'taken';
    await rename(from, to);
    return 'moved';
  }
}

async function isSameInode(a: string, b: string): Promise<boolean> {
  const [one, other]: BigIntStats[] = await Promise.all([lstat(a, { bigint: true }), lstat(b, { bigint: true })]);
  return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}

function markedName(name: string, mark: string): string {
  const extension = extname(name);
  return `${name.slice(0, name.length - extension.length)}.${mark}${extension}`;
}

/** Room for the mark and for ".reason.txt" within what file systems take. */
function fitting(name: string): string {
  const room = maxNameBytes - reasonEnding.length;
  if (Buffer.byteLength(name) <= room) return name;
  const extension = extname(name);
  let stem = Array.from(name.slice(0, name.length - extension.length));
  while (Buffer.byteLength(stem.join('') + extension) > room) stem = stem.slice(0, -1);
  return stem.join('') + extension;
}

function reasonText(name: string, { message, next, code }: MillraceError): string {
  return `${name} was not taken.\n\n${message}\n${next}\n\ncode: ${code}\nat: ${new Date().toISOString()}\n`;
}
