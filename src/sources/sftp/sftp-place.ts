// A directory on an SFTP server. One connection, opened when it is first needed and again when it broke; the server's host key must be the
// pinned one before anything is said to it.
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Client, ConnectConfig, SFTPWrapper, Stats } from 'ssh2';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { changing, type ListedPart, type Place, type PlacedObject, type PlaceGuard } from '../place.ts';
import { directoriesBelow, type Entry, walkDirectories } from '../walk-directories.ts';
import { dial } from './dial.ts';

export interface SftpPlaceOptions {
  readonly host: string;
  readonly port: number;
  readonly directory: string;
  /** SHA256:… as ssh-keygen shows it. Left out: any key is accepted and `hostKey` tells which it was. */
  readonly hostKey?: string | undefined;
  /** Left out: taken files stay. Its directory is not listed. */
  readonly moveTo?: string | undefined;
  readonly credential?: SftpCredential | undefined;
}

export type SftpCredential =
  | { readonly username: string; readonly password: string }
  | { readonly username: string; readonly privateKey: string; readonly passphrase?: string };

interface Connection {
  readonly client: Client;
  readonly sftp: SFTPWrapper;
}

const READY_MS = 15_000;
const KEEPALIVE_MS = 10_000;
const READS_AT_ONCE = 4;
/** How often a download that breaks off is taken up again. */
const RESUMES = 3;
/** Of the SFTP protocol. */
const status = { noSuchFile: 2, permissionDenied: 3, failure: 4 };
const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;

export class SftpPlace implements Place {
  readonly address: string;
  readonly readsAtOnce = READS_AT_ONCE;
  readonly readsExactly = false;
  /** The key that the server showed. */
  hostKey: string | undefined;
  readonly #options: SftpPlaceOptions;
  readonly #guard: PlaceGuard;
  /** Another port is another server. */
  readonly #authority: string;
  #connection: Promise<Connection> | undefined;
  /** Whether this server shows directories in their own listings. */
  #showsItself = false;

  constructor(options: SftpPlaceOptions, guard: PlaceGuard) {
    this.#options = options;
    this.#guard = guard;
    guard.requireCallable(options.host);
    this.#authority = options.port === 22 ? options.host : `${options.host}:${options.port}`;
    this.address = `sftp://${this.#authority}/${options.directory.replace(/^\/+/, '')}`;
  }

  uriOf(key: string): string {
    const directory = this.#options.directory.replace(/^[./]+/, '').replace(/\/+$/, '');
    return `sftp://${this.#authority}/${directory === '' ? '' : `${directory}/`}${key}`;
  }

  async *list(part: ListedPart, signal: AbortSignal) {
    yield* walkDirectories({ ...part, signal, entries: (directory) => this.#entries(directory) });
  }

  directories(prefix: string, limit: number): Promise<readonly string[]> {
    return directoriesBelow(prefix, limit, (directory) => this.#entries(directory));
  }

  async *read(object: PlacedObject, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const before = await this.look(object.key);
    if (before === undefined) throw new MillraceError('source_object_gone', { name: path.posix.basename(object.key) });
    if (before.mark !== object.mark) throw changing(object.key);
    let done = 0;
    for (let resumes = 0; done < object.bytes; resumes += 1) {
      const { sftp } = await this.#connected();
      const stream = sftp.createReadStream(this.#pathOf(object.key), { start: done, highWaterMark: 256 * 1024 });
      // What comes after the end, such as a close that is not answered, interests nobody.
      stream.on('error', () => undefined);
      const stop = () => stream.destroy();
      signal.addEventListener('abort', stop, { once: true });
      try {
        for await (const chunk of stream as AsyncIterable<Uint8Array>) {
          done += chunk.byteLength;
          yield chunk;
        }
        signal.throwIfAborted();
        if (done < object.bytes) throw changing(object.key);
      } catch (error) {
        const ours = faultOf(error, object.key);
        // A connection that broke is opened again, and the file is taken up where it ended.
        if (ours.code !== 'source_unreachable' || resumes >= RESUMES || signal.aborted) throw ours;
        if ((await this.look(object.key))?.mark !== object.mark) throw changing(object.key);
      } finally {
        signal.removeEventListener('abort', stop);
        stream.destroy();
      }
    }
  }

  async look(key: string): Promise<PlacedObject | undefined> {
    const { sftp } = await this.#connected();
    const facts = await new Promise<Stats | undefined>((resolve, reject) => {
      sftp.lstat(this.#pathOf(key), (error, found) => {
        if (error === undefined || error === null) resolve(found);
        else if ((error as { code?: number }).code === status.noSuchFile) resolve(undefined);
        else reject(faultOf(error, key));
      });
    });
    if (facts === undefined || !facts.isFile()) return undefined;
    return { key, bytes: facts.size, modifiedAt: new Date(facts.mtime * 1_000), mark: markOf(facts) };
  }

  async putAway(object: PlacedObject, how: 'move' | 'tag'): Promise<void> {
    if (how === 'tag') throw new MillraceError('source_settings_invalid', { faults: 'an SFTP server knows no tags' });
    if ((await this.look(object.key))?.mark !== object.mark) return;
    const { sftp } = await this.#connected();
    const away = this.#away();
    if (away === undefined) throw new Error('taken files of this place are not moved');
    const target = path.posix.join(this.#options.directory, away, object.key);
    await makeDirectories(sftp, path.posix.dirname(target));
    await new Promise<void>((resolve, reject) => {
      sftp.rename(this.#pathOf(object.key), target, (error) =>
        error === undefined || error === null ? resolve() : reject(faultOf(error, object.key)),
      );
    });
  }

  async wasMoved(key: string): Promise<boolean> {
    const away = this.#away();
    return away !== undefined && (await this.look(path.posix.join(away, key))) !== undefined;
  }

  async close(): Promise<void> {
    const open = await this.#connection?.catch(() => undefined);
    this.#connection = undefined;
    open?.client.end();
    open?.client.destroy();
  }

  /** Where taken files go; undefined: they stay. */
  #away(): string | undefined {
    return this.#options.moveTo?.replace(/\/*$/, '');
  }

  /** A key has no ".." part: the walk lists none, and it is only given back to the server that named it. */
  #pathOf(key: string): string {
    if (key.split('/').includes('..'))
      throw new MillraceError('source_object_denied', { name: path.posix.basename(key) });
    return path.posix.join(this.#options.directory, key);
  }

  async #entries(directory: string): Promise<Entry[]> {
    const { sftp } = await this.#connected();
    const found = await readWhole(sftp, this.#pathOf(directory)).catch((error: unknown) => {
      if (directory !== '' && (error as { code?: number }).code === status.noSuchFile) return [];
      throw faultOf(error);
    });
    // Servers of Unix (OpenSSH) list a directory that may be read and not entered as an empty one, even without itself.
    const showsItself = found.some(({ filename }) => filename === '.');
    if (this.#showsItself && !showsItself && directory !== '')
      throw new MillraceError('source_denied', { reason: 'the directory shows nothing, not even itself' });
    this.#showsItself ||= showsItself;
    const away = this.#away();
    return found
      .filter(({ filename }) => `${directory}${filename}` !== away)
      .map(({ filename, attrs }) => ({
        name: filename,
        isDirectory: (attrs.mode & FILE_TYPE) === DIRECTORY,
        isFile: (attrs.mode & FILE_TYPE) === REGULAR,
        bytes: attrs.size,
        modifiedAt: new Date(attrs.mtime * 1_000),
        mark: markOf(attrs),
      }));
  }

  #connected(): Promise<Connection> {
    this.#connection ??= this.#connect().catch((error: unknown) => {
      this.#connection = undefined;
      throw faultOf(error);
    });
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    const { host, port, credential, hostKey } = this.#options;
    // Loaded with the first connection: most processes open none.
    const { Client: SshClient } = (await import('ssh2')).default;
    const socket = await dial(host, port, this.#guard, READY_MS);
    const client = new SshClient();
    let refused: MillraceError | undefined;
    const config: ConnectConfig = {
      sock: socket,
      readyTimeout: READY_MS,
      keepaliveInterval: KEEPALIVE_MS,
      keepaliveCountMax: 3,
      ...(credential === undefined ? {} : credential),
      hostVerifier: (key: Buffer) => {
        this.hostKey = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
        if (hostKey === undefined || hostKey.replace(/=+$/, '') === this.hostKey) return true;
        refused = new MillraceError('source_host_key_changed', { shown: this.hostKey });
        return false;
      },
    };
    return new Promise<Connection>((resolve, reject) => {
      const forget = () => {
        this.#connection = undefined;
      };
      client
        .on('ready', () =>
          client.sftp((error, sftp) => {
            if (error) reject(error);
            else resolve({ client, sftp });
          }),
        )
        .on('error', (error) => {
          forget();
          reject(refused ?? error);
        })
        .on('close', () => {
          forget();
          reject(refused ?? new MillraceError('source_unreachable', { reason: 'the server closed the connection' }));
        })
        .connect(config);
    });
  }
}

interface Listed {
  readonly filename: string;
  readonly attrs: Stats;
}

/** With the directory itself and the one above it, which the client leaves out unless it is asked for all. */
function readWhole(sftp: SFTPWrapper, directory: string): Promise<readonly Listed[]> {
  const { readdir } = sftp as unknown as {
    readdir(where: string, options: object, done: (error: Error | undefined, list: readonly Listed[]) => void): void;
  };
  return new Promise((resolve, reject) => {
    const done = (error: Error | undefined, list: readonly Listed[]) => (error ? reject(error) : resolve(list));
    readdir.call(sftp, directory, { full: true }, done);
  });
}

function markOf({ size, mtime }: Stats): string {
  return `file:${size}:${mtime}`;
}

async function makeDirectories(sftp: SFTPWrapper, directory: string): Promise<void> {
  const parts = directory.split('/');
  for (let count = 1; count <= parts.length; count += 1) {
    const each = parts.slice(0, count).join('/');
    if (each === '' || each === '.') continue;
    // It may be there already, which servers answer with a plain failure; the move says if it is not.
    await new Promise<void>((resolve) => sftp.mkdir(each, () => resolve()));
  }
}

function faultOf(error: unknown, key?: string): MillraceError {
  if (error instanceof MillraceError) return error;
  const { code, level, message = '' } = error as { code?: number | string; level?: string; message?: string };
  if (level === 'client-authentication' || /parse.*privateKey|passphrase/i.test(message))
    return new MillraceError('source_denied', { reason: 'the server did not accept the sign-in' }, { cause: error });
  const name = key === undefined ? '' : path.posix.basename(key);
  if (code === status.permissionDenied)
    return key === undefined
      ? new MillraceError('source_denied', { reason: 'permission denied' }, { cause: error })
      : new MillraceError('source_object_denied', { name }, { cause: error });
  if (code === status.noSuchFile)
    return key === undefined
      ? new MillraceError('source_place_gone', { reason: 'no such directory' }, { cause: error })
      : new MillraceError('source_object_gone', { name }, { cause: error });
  const why = level === 'client-timeout' ? 'no answer in time' : level;
  const reason = typeof code === 'string' ? code : (why ?? 'the connection broke off');
  return new MillraceError('source_unreachable', { reason }, { cause: error });
}
