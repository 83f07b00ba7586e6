// One file of an FTP server, asked for without its directory: with 50,000 files in one, a listing for each file would be 50,000 times 50,000 lines.
// Servers differ in what they say then, so whoever asks makes sure that it is what the listing says.
import path from 'node:path';
import type { Client, FileInfo } from 'basic-ftp';

/** "unsure": only a listing of the directory tells. */
export type Asked = FileInfo | 'gone' | 'unsure';

const factLine = /^[^\s=;]+=[^;]*;\S* /;

export async function askOne(client: Client, target: string): Promise<Asked> {
  // Servers cut blanks off.
  if (target !== target.trim()) return 'unsure';
  try {
    return client.availableListCommands.includes('MLSD') ? await byFacts(client, target) : await byLine(client, target);
  } catch (error) {
    const { code, message = '' } = error as { code?: unknown; message?: string };
    const isRefused = typeof code === 'number' && code >= 450 && code !== 530;
    if (isRefused && /no such file|not found|does not exist|can't check/i.test(message)) return 'gone';
    if (isRefused) return 'unsure';
    throw error;
  }
}

/** Servers with MLSD tell the same facts of one file (MLST). */
async function byFacts(client: Client, target: string): Promise<Asked> {
  const { message } = await client.send(`MLST ${target}`);
  const lines = message.split(/\r?\n/).map((line) => line.trimStart());
  const [facts] = lines.flatMap((line) => factLine.exec(line) ?? []);
  return facts === undefined ? 'unsure' : only(client.parseList(`${facts}${path.posix.basename(target)}`), target);
}

/** The others list a file like a directory that holds it alone; of a directory they list what lies in it. */
async function byLine(client: Client, target: string): Promise<Asked> {
  return only(await client.list(target), target);
}

function only(found: readonly FileInfo[], target: string): Asked {
  const [one] = found;
  const isIt = found.length === 1 && one?.isFile === true;
  return isIt && path.posix.basename(one.name) === path.posix.basename(target) ? one : 'unsure';
}
