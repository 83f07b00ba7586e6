// How much memory another process holds.
import { readFile } from 'node:fs/promises';

const PAGE_BYTES = 4_096;

/** Resident, in MB. Only Linux tells of another process; elsewhere its heap limit must do. */
export async function memoryOfProcess(pid: number | undefined): Promise<number> {
  if (pid === undefined) return 0;
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => null);
  return (Number(statm?.split(' ')[1] ?? 0) * PAGE_BYTES) / 1024 ** 2;
}
