// How a crew of workers ends: killed, and waited for.
import type { ChildProcess } from 'node:child_process';

/** Resolves when the last of them is gone. */
export async function dismissAll(members: ReadonlySet<ChildProcess>): Promise<void> {
  const gone = [...members].map((child) => new Promise((resolve) => child.once('exit', resolve)));
  for (const child of members) child.kill('SIGKILL');
  await Promise.all(gone);
}
