// An FTP server for tests on loopback: ftp-srv over a folder, with the MLSD that it lacks; it can be told to know none, and to speak Latin-1.
import { createRequire } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { FileSystem, FtpSrv } from 'ftp-srv';

export interface FtpServer {
  readonly port: number;
  readonly credential: { readonly username: string; readonly password: string };
  /** Names of directories that may not be listed. */
  readonly shut: Set<string>;
  /** Names of files that may not be read; like vsftpd, it does not say why. */
  readonly denied: Set<string>;
  /** From which byte on each file was asked for. */
  readonly starts: number[];
  /** The next downloads end in the middle, with their connections. */
  cut(times: number): void;
  close(): Promise<void>;
}

interface Command {
  readonly directive: string;
  readonly handler: unknown;
  readonly flags?: { readonly feat: string };
}

/** ftp-srv lists for LIST only; with another line for each file the same handler answers MLSD. */
const commands = createRequire(import.meta.url)('ftp-srv/src/commands/registry') as Record<string, Command>;
const list = commands.LIST?.handler as (this: { fs: object }, given: object) => unknown;
commands.MLSD = {
  directive: 'MLSD',
  flags: { feat: 'MLST type*;size*;modify*;' },
  handler(this: { fs: { isMlsd?: boolean } }, given: object) {
    this.fs.isMlsd = true;
    return list.call(this, given);
  },
};

commands.MLST = { directive: 'MLST', handler: tellOne };

interface Spoken {
  readonly fs: { get(name: string): Promise<Parameters<typeof mlsdLine>[0]> };
  reply(code: number, ...lines: unknown[]): unknown;
}

/** The facts of one file, on the connection for commands. */
async function tellOne(this: Spoken, { command }: { readonly command: { readonly arg: string } }): Promise<unknown> {
  try {
    const message = ` ${mlsdLine(await this.fs.get(command.arg))}`;
    return this.reply(250, 'Begin', { raw: true, message }, 'End');
  } catch {
    return this.reply(550, `${command.arg}: No such file or directory`);
  }
}

const quiet = () => quietLog;
const nothing = () => undefined;
const quietLog = { child: quiet, trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

interface Sockets {
  readonly commandSocket: Socket;
  readonly connector: { readonly dataSocket?: Socket };
}

const CUT_BEHIND = 500_000;

export async function startFtpServer(
  root: string,
  options: {
    readonly withoutMlsd?: boolean;
    /** Names are told in Latin-1, as servers did before UTF-8. */
    readonly isLatin1?: boolean;
    readonly tls?: { readonly key: string; readonly cert: string };
    /** Before each listing of a directory. */
    readonly onList?: () => void;
  } = {},
): Promise<FtpServer> {
  const credential = { username: 'mill', password: 'race-secret' };
  const shut = new Set<string>();
  const denied = new Set<string>();
  const starts: number[] = [];
  let cuts = 0;
  /** For a directory that may not be read, MLSD fails and LIST tells an empty one, as at other servers; any other shows itself in LIST. */
  class PartlyShut extends FileSystem {
    isMlsd?: boolean;
    override read(...asked: Parameters<FileSystem['read']>) {
      if (denied.has(asked[0].split('/').at(-1) ?? '')) throw new Error('Failed to open file.');
      starts.push(asked[1]?.start ?? 0);
      if (cuts === 0) return super.read(...asked);
      cuts -= 1;
      return Promise.resolve(super.read(...asked) as Promise<{ stream: Readable }>).then((file) => ({
        ...file,
        stream: Readable.from(this.#beginning(file.stream)),
      }));
    }

    async *#beginning(whole: Readable) {
      let bytes = 0;
      for await (const chunk of whole as AsyncIterable<Buffer>) {
        yield chunk;
        bytes += chunk.byteLength;
        if (bytes >= CUT_BEHIND) break;
      }
      const { commandSocket, connector } = this.connection as unknown as Sockets;
      connector.dataSocket?.destroy();
      commandSocket.destroy();
      await new Promise(() => undefined);
    }

    override async list(given = '.') {
      const isMlsd = this.isMlsd === true;
      this.isMlsd = false;
      options.onList?.();
      if (shut.has(given.split('/').filter(Boolean).at(-1) ?? '')) {
        if (isMlsd) throw new Error('Permission denied');
        return [];
      }
      const found = await super.list(given);
      return isMlsd ? found : [Object.assign(await super.get(given), { name: '.' }), ...found];
    }
  }
  const port = await freePort();
  const server = new FtpSrv({
    url: `ftp://127.0.0.1:${port}`,
    pasv_url: '127.0.0.1',
    pasv_min: 20_000,
    pasv_max: 40_000,
    log: quietLog as never,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    ...(options.withoutMlsd === true ? {} : { file_format: mlsdLine as never }),
    blacklist: [
      ...(options.withoutMlsd === true ? ['MLSD', 'MLST', 'MDTM'] : []),
      ...(options.isLatin1 === true ? ['OPTS'] : []),
    ],
  });
  server.on('login', ({ connection, username, password }, resolve, reject) => {
    sayLikeOthers(connection, options.withoutMlsd !== true);
    if (options.isLatin1 === true) Object.assign(connection, { encoding: 'latin1' });
    if (username === credential.username && password === credential.password)
      resolve({ root, fs: new PartlyShut(connection, { root, cwd: '/' }) });
    else reject(new Error('530'));
  });
  await server.listen();
  return {
    port,
    credential,
    shut,
    denied,
    starts,
    cut(times) {
      cuts = times;
    },
    async close() {
      await server.close();
    },
  };
}

/** What cannot be listed is 550 at most servers; ftp-srv says 451. MLST is a feature of the servers that have it. */
function sayLikeOthers(connection: object, hasMlsd: boolean): void {
  const spoken = connection as { reply(code: unknown, ...rest: unknown[]): unknown };
  const reply = spoken.reply.bind(connection);
  const isOurs = (letter: unknown) => hasMlsd || !String((letter as { message?: unknown }).message).includes('MLST');
  spoken.reply = (code, ...rest) => reply(code === 451 ? 550 : code, ...rest.filter(isOurs));
}

function mlsdLine(file: { name: string; size: number; mtime: Date; isDirectory(): boolean }): string {
  const modify = new Date(file.mtime).toISOString().replaceAll(/[-:TZ]/g, '');
  return `type=${file.isDirectory() ? 'dir' : 'file'};size=${file.size};modify=${modify}; ${file.name}`;
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
