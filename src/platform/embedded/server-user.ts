// Postgres refuses to run as root. When we are root, the server runs as an unprivileged user: the owner of an existing
// data folder, else the first of a few well-known users. For everybody else the server simply runs as ourselves.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { makeFolder } from '../make-folder.ts';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const candidates = ['millrace', 'postgres', 'nobody'];
/** Where root's database goes when the server's user cannot enter the home (for example below /root). */
const fallbackRoot = '/var/lib/millrace';

/** The user the server must run as, or undefined when that is ourselves. */
export function chooseServerUser(dataFolder: string): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(dataFolder)) {
    const { uid, gid } = statSync(dataFolder);
    if (uid !== 0) return { uid, gid };
  }
  for (const name of candidates) {
    const user = lookUp(name);
    if (user !== undefined) return user;
  }
  throw new MillraceError('embedded_unsupported', {
    system: `running as root without any of the users ${candidates.join(', ')}; create one or start as a normal user`,
  });
}

/**
 * The folder `<home>/postgres`, made if need be. When the server's user cannot enter it, it becomes a link to a folder
 * below /var/lib/millrace: no permission of a folder that is not ours is ever changed.
 */
export function preparePostgresFolder(home: string, user: ServerUser | undefined): string {
  const folder = path.join(home, 'postgres');
  try {
    makeFolder(home);
    if (!existsSync(folder)) {
      if (user === undefined || canEnter(realpathSync(home), user)) mkdirSync(folder, { recursive: true, mode: 0o755 });
      else linkFallback(home, folder);
    }
    const real = realpathSync(folder);
    if (user !== undefined && !canEnter(real, user)) {
      throw new Error(`the database runs as user ${user.uid}, who may not enter ${real}`);
    }
    return real;
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    throw new MillraceError('home_unusable', { home, reason: (error as Error).message }, { cause: error });
  }
}

/** Whether `user` may pass through every folder down to `folder`. Looks at mode bits only, not at access lists. */
function canEnter(folder: string, user: ServerUser): boolean {
  for (let current = folder; ; current = path.dirname(current)) {
    const { uid, gid, mode } = statSync(current);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (current === path.dirname(current)) return true;
  }
}

/** Makes a symlink, or leaves the one that another process has just made. */
export function linkOnce(target: string, link: string): void {
  try {
    symlinkSync(target, link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

// A new folder each time: who deletes the home wants a new database, not the old one back.
function linkFallback(home: string, link: string): void {
  mkdirSync(fallbackRoot, { recursive: true, mode: 0o755 });
  const folder = mkdtempSync(path.join(fallbackRoot, 'home-'));
  linkOnce(folder, link);
  if (realpathSync(link) !== realpathSync(folder)) {
    rmSync(folder, { recursive: true }); // another process was faster
    return;
  }
  chmodSync(folder, 0o755);
  writeFileSync(path.join(folder, 'home.txt'), `The embedded database of ${realpathSync(home)}\n`);
}

function lookUp(name: string): ServerUser | undefined {
  const id = (flag: string) =>
    Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }).toString());
  try {
    const user = { uid: id('-u'), gid: id('-g') };
    return user.uid > 0 ? user : undefined;
  } catch {
    return undefined;
  }
}
