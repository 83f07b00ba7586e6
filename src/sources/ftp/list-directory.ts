// One directory of an FTP server. Servers (ProFTPD, Pure-FTPd, vsftpd) answer LIST for a directory that they may not read, or do not find, with an
// empty listing and success: gone by, everything in it would have vanished. So MLSD, which says what is wrong, is not given up for LIST, and an empty
// LIST counts only if the directory shows itself (".") in it, or if this server never shows it.
import type { Client, FileInfo } from 'basic-ftp';

/** Remembers the text of the last listing and whether this server shows directories in their own listings. */
export interface Listings {
  last: string;
  showsItself: boolean;
}

/** What a server says when it does not know a command. */
const unknownCommand = [500, 502, 504];
const itself = /(?:^|\s)\.\r?$/m;

export async function listDirectory(client: Client, directory: string, listings: Listings): Promise<FileInfo[]> {
  if (client.availableListCommands.includes('MLSD')) {
    client.availableListCommands = ['MLSD'];
    try {
      return await client.list(directory);
    } catch (error) {
      if (!unknownCommand.includes(Number((error as { code?: unknown }).code))) throw error;
      client.availableListCommands = ['LIST -a', 'LIST'];
    }
  }
  const found = await listBare(client, directory, listings);
  if (found.length > 0 || itself.test(listings.last)) return found;
  await requireThere(client, directory);
  if (!listings.showsItself) await listBare(client, '/', listings);
  if (listings.showsItself) throw notListed();
  return found;
}

async function listBare(client: Client, directory: string, listings: Listings): Promise<FileInfo[]> {
  listings.last = '';
  const found = await client.list(directory);
  listings.showsItself ||= itself.test(listings.last);
  return found;
}

async function requireThere(client: Client, directory: string): Promise<void> {
  const before = await client.pwd();
  await client.cd(directory);
  await client.cd(before);
}

/** As a server says it that says it. */
function notListed(): Error {
  return Object.assign(new Error('the directory may not be listed'), { code: 550 });
}
