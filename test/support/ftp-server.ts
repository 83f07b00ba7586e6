// An FTP server for tests on loopback: ftp-srv over a folder, that can be told to know no MLSD.
import type { AddressInfo } from 'node:net';
import { FtpSrv } from 'ftp-srv';

export interface FtpServer {
  readonly port: number;
  readonly credential: { readonly username: string; readonly password: string };
  close(): Promise<void>;
}

const quiet = () => quietLog;
const nothing = () => undefined;
const quietLog = { child: quiet, trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

export async function startFtpServer(
  root: string,
  options: { readonly withoutMlsd?: boolean; readonly tls?: { readonly key: string; readonly cert: string } } = {},
): Promise<FtpServer> {
  const credential = { username: 'mill', password: 'race-secret' };
  const port = await freePort();
  const server = new FtpSrv({
    url: `ftp://127.0.0.1:${port}`,
    pasv_url: '127.0.0.1',
    pasv_min: 20_000,
    pasv_max: 40_000,
    log: quietLog as never,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    ...(options.withoutMlsd === true ? { blacklist: ['MLSD', 'MDTM'] } : {}),
  });
  server.on('login', ({ username, password }, resolve, reject) => {
    if (username === credential.username && password === credential.password) resolve({ root });
    else reject(new Error('530'));
  });
  await server.listen();
  return {
    port,
    credential,
    async close() {
      await server.close();
    },
  };
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
