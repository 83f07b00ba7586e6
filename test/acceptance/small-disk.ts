// A disk that is really full: a small file system in memory, where the machine lets us mount one (as root it does).
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface SmallDisk {
  readonly folder: string;
  /** Takes the last byte, or all but the last `leaveBytes`. */
  fill(leaveBytes?: number): void;
  free(): void;
  remove(): void;
}

/** Undefined where mounting is not permitted. It belongs to the owner of `like`, when that is given. */
export function mountSmallDisk(megabytes: number, like?: string): SmallDisk | undefined {
  const mount = mkdtempSync(path.join(tmpdir(), 'millrace-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', mount]).status === 0;
  if (!mounted) {
    rmSync(mount, { recursive: true });
    return undefined;
  }
  chmodSync(mount, 0o755);
  if (like !== undefined) chownSync(mount, statSync(like).uid, statSync(like).gid);
  const ballast = path.join(mount, 'ballast');
  return {
    folder: mount,
    fill(leaveBytes = 0) {
      const file = openSync(ballast, 'w');
      let taken = 0;
      for (const size of [2 ** 20, 2 ** 12]) while (writeFits(file, size)) taken += size;
      if (leaveBytes > 0) ftruncateSync(file, Math.max(0, taken - leaveBytes));
      closeSync(file);
    },
    free: () => rmSync(ballast, { force: true }),
    remove() {
      spawnSync('umount', [mount]);
      rmSync(mount, { recursive: true, force: true });
    },
  };
}

function writeFits(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size)) === size;
  } catch {
    return false;
  }
}
