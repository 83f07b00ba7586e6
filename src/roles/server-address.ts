// Where the server of this home listens, for the links that commands print. The server writes a file beside its data when it listens and removes
// it when it stops. A killed server leaves the file behind, so readers check that its process lives.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { isAlive } from '../platform/is-alive.ts';

const Address = z.object({ url: z.url(), pid: z.int().positive() });

const fileOf = (home: string) => path.join(path.resolve(home), 'server.json');

export function noteServerAddress(home: string, url: string): void {
  writeFileSync(fileOf(home), `${JSON.stringify({ url, pid: process.pid })}\n`);
}

/** Only our own: another server may have taken the home over. */
export function forgetServerAddress(home: string): void {
  if (readAddress(home)?.pid === process.pid) rmSync(fileOf(home), { force: true });
}

/** Undefined when no server of this home runs on this machine. */
export function findServerAddress(home: string): string | undefined {
  const address = readAddress(home);
  return address !== undefined && isAlive(address.pid) ? address.url : undefined;
}

function readAddress(home: string): z.infer<typeof Address> | undefined {
  try {
    return Address.safeParse(JSON.parse(readFileSync(fileOf(home), 'utf8'))).data;
  } catch {
    return undefined;
  }
}
