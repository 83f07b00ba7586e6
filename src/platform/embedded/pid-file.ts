// Reading postmaster.pid, and telling a living server of ours from a stranger that inherited its process number.
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';

export interface PidFile {
  readonly pid: number;
  readonly port: number | undefined;
  /** starting, stopping, ready or standby. */
  readonly status: string;
}

export function readPidFile(dataFolder: string): PidFile | undefined {
  try {
    const lines = readFileSync(path.join(dataFolder, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Math.abs(Number(lines[0]));
    if (!Number.isInteger(pid) || pid === 0) return undefined;
    return { pid, port: Number(lines[3]) || undefined, status: (lines[7] ?? '').trim() };
  } catch {
    return undefined;
  }
}

/** Whether the process is a Postgres server that works in `dataFolder`. */
export function isServerOf(pid: number, dataFolder: string): boolean {
  try {
    // A server's working directory is its data folder.
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataFolder);
    const command = execFileSync('ps', ['-p', String(pid), '-o', 'command='], { stdio: ['ignore', 'pipe', 'ignore'] });
    return command.toString().includes('postgres') && command.toString().includes(dataFolder);
  } catch {
    return false;
  }
}
