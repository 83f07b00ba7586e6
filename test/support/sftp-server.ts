// An SFTP server for tests on loopback: ssh2's own server over a folder, that can refuse a file, cut a connection and change its host key.
import { isUtf8 } from 'node:buffer';
import { generateKeyPairSync } from 'node:crypto';
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import ssh2, { type Attributes, type Connection, type SFTPWrapper } from 'ssh2';

export interface SftpServer {
  readonly port: number;
  readonly root: string;
  readonly credential: { readonly username: string; readonly password: string };
  /** Paths that may not be opened. */
  readonly denied: Set<string>;
  /** Names of directories that may not be read. */
  readonly shut: Set<string>;
  /** Names of directories that may be read and not entered: as at OpenSSH, their listing is empty and has not even themselves. */
  readonly blind: Set<string>;
  /** Who tried to sign in, in the order of their coming. */
  readonly signIns: string[];
  /** The next reads end the connection. */
  cut(times: number): void;
  close(): Promise<void>;
}

const { STATUS_CODE, OPEN_MODE } = ssh2.utils.sftp;

export async function startSftpServer(root: string, port = 0): Promise<SftpServer> {
  const hostKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs1',
    format: 'pem',
  });
  const credential = { username: 'mill', password: 'race-secret' };
  const denied = new Set<string>();
  const shut = new Set<string>();
  const blind = new Set<string>();
  const signIns: string[] = [];
  const connections = new Set<Connection>();
  let cuts = 0;
  const server = new ssh2.Server({ hostKeys: [String(hostKey)] }, (connection) => {
    connections.add(connection);
    connection.on('close', () => connections.delete(connection));
    connection.on('error', () => undefined);
    connection.on('authentication', (attempt) => {
      signIns.push(attempt.username);
      const fits =
        attempt.method === 'password' &&
        attempt.username === credential.username &&
        attempt.password === credential.password;
      if (fits) attempt.accept();
      else attempt.reject(['password']);
    });
    connection.on('ready', () =>
      connection.on('session', (accept) => accept().on('sftp', (open) => serve(open(), connection))),
    );
  });

  const real = (given: string) => path.join(root, path.posix.normalize(`/${given}`));

  function serve(sftp: SFTPWrapper, connection: Connection): void {
    const files = new Map<number, number>();
    const listings = new Map<number, Buffer[] | undefined>();
    const raw = sendRawNames(sftp);
    let next = 1;
    const handle = () => {
      const buffer = Buffer.alloc(4);
      buffer.writeUInt32BE(next++);
      return buffer;
    };
    const attributes = (file: string | Buffer): Attributes => {
      const { mode, uid, gid, size, atimeMs, mtimeMs } = lstatSync(file);
      return { mode, uid, gid, size, atime: Math.floor(atimeMs / 1_000), mtime: Math.floor(mtimeMs / 1_000) };
    };
    const guarded = (id: number, work: () => void) => {
      try {
        work();
      } catch (error) {
        const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
        sftp.status(id, isMissing ? STATUS_CODE.NO_SUCH_FILE : STATUS_CODE.FAILURE);
      }
    };
    sftp.on('REALPATH', (id: number, given: string) =>
      sftp.name(id, [{ filename: path.posix.normalize(`/${given}`), longname: '', attrs: {} as Attributes }]),
    );
    sftp.on('OPENDIR', (id: number, given: string) =>
      guarded(id, () => {
        if (shut.has(path.basename(real(given)))) return sftp.status(id, STATUS_CODE.PERMISSION_DENIED);
        const inside = readdirSync(real(given), { encoding: 'buffer' });
        const names = blind.has(path.basename(real(given))) ? [] : [Buffer.from('.'), Buffer.from('..'), ...inside];
        const buffer = handle();
        listings.set(
          buffer.readUInt32BE(),
          names.map((name) => Buffer.concat([Buffer.from(`${real(given)}/`), name])),
        );
        sftp.handle(id, buffer);
      }),
    );
    sftp.on('READDIR', (id: number, buffer: Buffer) => {
      const names = listings.get(buffer.readUInt32BE());
      if (names === undefined || names.length === 0) return sftp.status(id, STATUS_CODE.EOF);
      const some = names.splice(0, 100);
      sftp.name(
        id,
        some.map((file) => {
          const filename = raw(file.subarray(file.lastIndexOf('/') + 1));
          return { filename, longname: '', attrs: attributes(file) };
        }),
      );
    });
    const stat = (id: number, given: string) =>
      guarded(id, () => {
        if (blind.has(path.basename(path.dirname(real(given))))) sftp.status(id, STATUS_CODE.PERMISSION_DENIED);
        else sftp.attrs(id, attributes(real(given)));
      });
    sftp.on('STAT', stat);
    sftp.on('LSTAT', stat);
    sftp.on('OPEN', (id: number, given: string, flags: number) =>
      guarded(id, () => {
        if (denied.has(path.basename(given))) return sftp.status(id, STATUS_CODE.PERMISSION_DENIED);
        if ((flags & OPEN_MODE.READ) === 0) return sftp.status(id, STATUS_CODE.PERMISSION_DENIED);
        const buffer = handle();
        files.set(buffer.readUInt32BE(), openSync(real(given), constants.O_RDONLY));
        sftp.handle(id, buffer);
      }),
    );
    sftp.on('FSTAT', (id: number) => sftp.status(id, STATUS_CODE.FAILURE));
    sftp.on('READ', (id: number, buffer: Buffer, offset: number, length: number) => {
      if (cuts > 0 && offset > 0) {
        cuts -= 1;
        connection.end();
        return;
      }
      const file = files.get(buffer.readUInt32BE());
      const chunk = Buffer.alloc(length);
      const read = file === undefined ? 0 : readSync(file, chunk, 0, length, offset);
      if (read === 0) sftp.status(id, STATUS_CODE.EOF);
      else sftp.data(id, chunk.subarray(0, read));
    });
    sftp.on('MKDIR', (id: number, given: string) =>
      guarded(id, () => {
        mkdirSync(real(given));
        sftp.status(id, STATUS_CODE.OK);
      }),
    );
    sftp.on('RENAME', (id: number, from: string, to: string) =>
      guarded(id, () => {
        renameSync(real(from), real(to));
        sftp.status(id, STATUS_CODE.OK);
      }),
    );
    sftp.on('CLOSE', (id: number, buffer: Buffer) => {
      const file = files.get(buffer.readUInt32BE());
      if (file !== undefined) closeSync(file);
      files.delete(buffer.readUInt32BE());
      sftp.status(id, STATUS_CODE.OK);
    });
  }

  statSync(root);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  return {
    port: (server.address() as AddressInfo).port,
    root,
    credential,
    denied,
    shut,
    blind,
    signIns,
    cut: (times) => {
      cuts = times;
    },
    async close() {
      for (const connection of connections) connection.end();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** ssh2 sends names as UTF-8 only: another one travels as a placeholder of its length, which is replaced before it is encrypted. */
function sendRawNames(sftp: SFTPWrapper): (name: Buffer) => string {
  const waiting: { readonly placeholder: Buffer; readonly name: Buffer }[] = [];
  const { _protocol: protocol } = sftp as unknown as { _protocol: { channelData(id: number, data: Buffer): unknown } };
  const send = protocol.channelData.bind(protocol);
  protocol.channelData = (id, data) => {
    for (const { placeholder, name } of waiting.splice(0)) name.copy(data, data.indexOf(placeholder));
    return send(id, data);
  };
  return (name) => {
    if (isUtf8(name)) return name.toString();
    // Each of another sign, so that none is found inside another.
    const placeholder = Buffer.alloc(name.byteLength, 1 + waiting.length);
    waiting.push({ placeholder, name });
    return placeholder.toString();
  };
}
