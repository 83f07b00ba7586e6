// A directory on an FTP or FTPS server. The protocol does one thing at a time per connection, so one object is read at a time; a download
// that breaks off is taken up by REST on a new connection. Servers without MLSD tell times as they like: what they say is part of the
// mark, whether or not it can be understood.
import { isIP } from 'node:net';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { type ConnectionOptions, checkServerIdentity, rootCertificates } from 'node:tls';
import type { Client, FileInfo } from 'basic-ftp';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { changing, type ListedPart, type Place, type PlacedObject, type PlaceGuard } from '../place.ts';
import { directoriesBelow, type Entry, walkDirectories } from '../walk-directories.ts';
import { askOne } from './ask-one.ts';
import { type Listings, listDirectory } from './list-directory.ts';
import { wholeLines } from './whole-lines.ts';

export interface FtpPlaceOptions {
  readonly host: string;
  readonly port: number;
  readonly directory: string;
  readonly tls: 'explicit' | 'implicit' | 'none';
  /** PEM: trusted beside the public authorities. */
  readonly certificate?: string | undefined;
  /** Left out: taken files stay. Its directory is not listed. */
  readonly moveTo?: string | undefined;
  readonly credential?: { readonly username: string; readonly password: string } | undefined;
}

const TIMEOUT_MS = 30_000;
const RESUMES = 3;

export class FtpPlace implements Place {
  readonly address: string;
  readonly readsAtOnce = 1;
  readonly readsExactly = false;
  readonly #options: FtpPlaceOptions;
  readonly #guard: PlaceGuard;
  /** Another port is another server. */
  readonly #authority: string;
  #client: Client | undefined;
  readonly #listings: Listings = { last: '', showsItself: false };
  /** Undefined: not known yet. */
  #isAskedSurely: boolean | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: FtpPlaceOptions, guard: PlaceGuard) {
    this.#options = options;
    this.#guard = guard;
    guard.requireCallable(options.host);
    this.#authority = options.port === 21 ? options.host : `${options.host}:${options.port}`;
    this.address = `ftp://${this.#authority}/${options.directory.replace(/^\/+/, '')}`;
  }

  uriOf(key: string): string {
    const directory = this.#options.directory.replace(/^[./]+/, '').replace(/\/+$/, '');
    return `ftp://${this.#authority}/${directory === '' ? '' : `${directory}/`}${key}`;
  }

  async *list(part: ListedPart, signal: AbortSignal) {
    yield* walkDirectories({ ...part, signal, entries: (directory) => this.#entries(directory) });
  }

  directories(prefix: string, limit: number): Promise<readonly string[]> {
    return directoriesBelow(prefix, limit, (directory) => this.#entries(directory));
  }

  async *read(object: PlacedObject, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let done = 0;
    for (let resumes = 0; ; resumes += 1) {
      try {
        for await (const chunk of this.#download(object, done, signal)) {
          done += chunk.byteLength;
          yield chunk;
        }
        if (done !== object.bytes) throw changing(object.key);
        return;
      } catch (error) {
        this.#drop();
        const ours = faultOf(error, object.key);
        // vsftpd says one thing of a file that is gone and of one that may not be read: the second is still listed.
        if (ours.code === 'source_object_gone' && (await this.look(object.key))?.mark === object.mark)
          throw denied(object.key, error);
        if (ours.code !== 'source_unreachable' || resumes === RESUMES || signal.aborted) throw ours;
        if ((await this.look(object.key))?.mark !== object.mark) throw changing(object.key);
        // ProFTPD hangs up the transfer of a file that may not be read, before it says so. Listed twice and never begun, it is such a file.
        if (done === 0 && resumes > 0) throw denied(object.key, error);
      }
    }
  }

  async look(key: string): Promise<PlacedObject | undefined> {
    const asked = this.#isAskedSurely === false ? 'unsure' : await this.#ask(key);
    if (this.#isAskedSurely === true && asked !== 'unsure') return asked === 'gone' ? undefined : asked;
    const listed = await this.#lookInListing(key);
    // Whether a server says of one file just what its listing says is seen at the first file; a file that changes meanwhile says nothing.
    if (asked === 'unsure') this.#isAskedSurely = false;
    else if (asked !== 'gone' && asked.mark === listed?.mark) this.#isAskedSurely = true;
    return listed;
  }

  async #ask(key: string): Promise<PlacedObject | 'gone' | 'unsure'> {
    const target = this.#pathOf(key);
    const found = await this.#inTurn((client) => askOne(client, target), key);
    return typeof found === 'string' ? found : { key, ...contentOf(found) };
  }

  async #lookInListing(key: string): Promise<PlacedObject | undefined> {
    const directory = key.includes('/') ? key.slice(0, key.lastIndexOf('/') + 1) : '';
    const name = key.slice(directory.length);
    const found = await this.#entries(directory).catch((error: MillraceError) => {
      // It is there and may not be listed: whether the file is, nobody says.
      if (directory !== '' && error.code === 'source_place_gone') throw denied(key, error);
      throw error;
    });
    const entry = found.find((each) => each.name === name && each.isFile);
    return entry === undefined
      ? undefined
      : { key, bytes: entry.bytes, modifiedAt: entry.modifiedAt, mark: entry.mark };
  }

  async putAway(object: PlacedObject, how: 'move' | 'tag'): Promise<void> {
    if (how === 'tag') throw new MillraceError('source_settings_invalid', { faults: 'an FTP server knows no tags' });
    if ((await this.look(object.key))?.mark !== object.mark) return;
    const away = this.#away();
    if (away === undefined) throw new Error('taken files of this place are not moved');
    const target = path.posix.join(this.#options.directory, away, object.key);
    await this.#inTurn(async (client) => {
      const before = await client.pwd();
      await client.ensureDir(path.posix.dirname(target));
      await client.cd(before);
      await client.rename(this.#pathOf(object.key), target);
    }, object.key);
  }

  async wasMoved(key: string): Promise<boolean> {
    const away = this.#away();
    return away !== undefined && (await this.look(path.posix.join(away, key))) !== undefined;
  }

  async close(): Promise<void> {
    this.#drop();
  }

  /** Where taken files go; undefined: they stay. */
  #away(): string | undefined {
    return this.#options.moveTo?.replace(/\/*$/, '');
  }

  #pathOf(key: string): string {
    // A line break inside a command would be a second command.
    if (key.split('/').includes('..') || /[\r\n\0]/.test(key))
      throw new MillraceError('source_object_denied', { name: path.posix.basename(key) });
    return path.posix.join(this.#options.directory, key);
  }

  async *#download(object: PlacedObject, start: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const target = this.#pathOf(object.key);
    const stream = new PassThrough({ highWaterMark: 256 * 1024 });
    const stop = () => this.#drop();
    signal.addEventListener('abort', stop, { once: true });
    const transfer = this.#inTurn((client) => client.downloadTo(stream, target, start), object.key).then(
      () => undefined,
      (error: Error) => {
        stream.destroy(error);
        return error;
      },
    );
    try {
      yield* stream;
      const failure = await transfer;
      if (failure !== undefined) throw failure;
    } finally {
      signal.removeEventListener('abort', stop);
      // Nobody reads on: the transfer must not wait for us.
      if (!stream.readableEnded) this.#drop();
      stream.destroy();
    }
  }

  async #entries(directory: string): Promise<Entry[]> {
    const found = await this.#list(directory).catch(async (error: MillraceError) => {
      if (directory === '' || error.code !== 'source_place_gone' || (await this.#isThere(directory))) throw error;
      return [] as FileInfo[];
    });
    const away = this.#away();
    return found
      .filter(({ name }) => `${directory}${name}` !== away)
      .map((entry) => ({
        name: entry.name,
        isDirectory: entry.isDirectory,
        isFile: entry.isFile,
        ...contentOf(entry),
      }));
  }

  #list(directory: string): Promise<FileInfo[]> {
    const own = this.#pathOf(directory);
    return this.#inTurn((client) => listDirectory(client, own, this.#listings));
  }

  /** Servers give one answer (550) for a directory that is gone and for one that may not be listed; the second proves no absence. */
  async #isThere(directory: string): Promise<boolean> {
    const above = `${path.posix.dirname(directory)}/`.replace(/^\.\//, '');
    const name = path.posix.basename(directory);
    const found = await this.#list(above).catch((error: MillraceError) => {
      if (error.code === 'source_place_gone') return [] as FileInfo[];
      throw error;
    });
    return found.some((entry) => entry.name === name);
  }

  /** One at a time, on a connection that is opened when there is none. */
  #inTurn<T>(work: (client: Client) => Promise<T>, key?: string): Promise<T> {
    const mine = this.#turn.then(async () => {
      try {
        this.#client ??= await this.#connect();
        return await work(this.#client);
      } catch (error) {
        const ours = faultOf(error, key);
        if (ours.code === 'source_unreachable') this.#drop();
        throw ours;
      }
    });
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  #drop(): void {
    this.#client?.close();
    this.#client = undefined;
  }

  #secureOptions(): ConnectionOptions {
    const { host, certificate } = this.#options;
    const ca = certificate === undefined ? {} : { ca: [...rootCertificates, certificate] };
    // An address is no name to ask for (SNI); its certificate must name it nevertheless.
    const servername = isIP(host) === 0 ? { servername: host } : {};
    return { ...ca, ...servername, host, checkServerIdentity: (_, shown) => checkServerIdentity(host, shown) };
  }

  async #connect(): Promise<Client> {
    const { host, port, tls, credential } = this.#options;
    // Loaded with the first connection: most processes open none.
    const ftp = await import('basic-ftp');
    const address = await addressOf(host, this.#guard);
    const client = new ftp.Client(TIMEOUT_MS, { allowSeparateTransferHost: false });
    const { parseList } = client;
    client.parseList = (listing) => {
      this.#listings.last = listing;
      return parseList(wholeLines(listing));
    };
    try {
      await client.access({
        host: address,
        port,
        secure: tls === 'explicit' ? true : tls === 'implicit' ? 'implicit' : false,
        // The certificate is checked against the name, though the connection goes to the address that was judged.
        ...(tls === 'none' ? {} : { secureOptions: this.#secureOptions() }),
        ...(credential === undefined ? {} : { user: credential.username, password: credential.password }),
      });
      return client;
    } catch (error) {
      client.close();
      throw tls === 'explicit' && isUnknownCommand(error) ? withoutTls(error) : error;
    }
  }
}

function contentOf({ size, modifiedAt, rawModifiedAt }: FileInfo): Pick<PlacedObject, 'bytes' | 'modifiedAt' | 'mark'> {
  return {
    bytes: size,
    modifiedAt: modifiedAt ?? null,
    mark: `file:${size}:${modifiedAt?.getTime() ?? rawModifiedAt}`,
  };
}

/** Before the sign-in only AUTH TLS can be unknown to a server. */
function isUnknownCommand(error: unknown): boolean {
  return [500, 502, 504, 534].includes(Number((error as { code?: unknown }).code));
}

function withoutTls(cause: unknown): MillraceError {
  return new MillraceError(
    'source_unreachable',
    { reason: 'the server offers no TLS (tls: "none" goes without)' },
    { cause },
  );
}

/** The first address of the name, judged. */
function addressOf(host: string, guard: PlaceGuard): Promise<string> {
  return new Promise((resolve, reject) => {
    const found = (error: Error | null, address: string) => (error ? reject(error) : resolve(address));
    guard.lookup(host, {}, found as never);
  });
}

function denied(key: string, cause: unknown): MillraceError {
  return new MillraceError('source_object_denied', { name: path.posix.basename(key) }, { cause });
}

function faultOf(error: unknown, key?: string): MillraceError {
  if (error instanceof MillraceError) return error;
  const { code, message = '' } = error as { code?: number | string; message?: string };
  const name = key === undefined ? '' : path.posix.basename(key);
  if (code === 530 || code === 332 || code === 331)
    return new MillraceError(
      'source_denied',
      { reason: `the server did not accept the sign-in (${code})` },
      { cause: error },
    );
  const isMissing = code === 450 && /no such file/i.test(message);
  if (code === 550 || code === 551 || code === 553 || isMissing) {
    if (key === undefined)
      return new MillraceError(
        'source_place_gone',
        { reason: `a directory is not there or may not be listed (${code})` },
        { cause: error },
      );
    const isDenied = /denied|permission|not allowed/i.test(message);
    return new MillraceError(isDenied ? 'source_object_denied' : 'source_object_gone', { name }, { cause: error });
  }
  if (typeof code === 'string' && /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code))
    return new MillraceError('source_certificate_refused', { reason: code }, { cause: error });
  if (code === 421 || code === 450 || code === 425)
    return new MillraceError('source_unreachable', { reason: String(code) }, { cause: error });
  const reason = code === undefined ? 'the connection broke off' : String(code);
  return new MillraceError('source_unreachable', { reason }, { cause: error });
}
