// How much memory the embedded server keeps pages in. With 128 MB, a third load of 50 MB found its index pushed out to disk by the rows it
// wrote itself: an eighth of the server's time went into writing pages out and reading them back. With 512 MB it did not.
import { totalmem } from 'node:os';

const MB = 1024 * 1024;
const LEAST_MB = 128;
const MOST_MB = 512;
/** Postgres advises a quarter for a machine of its own; this one is shared with whatever else its owner does. */
const SHARE = 16;

/** As the setting is written; of the machine's memory, or of the container's where that is less. */
export function sharedBuffers(memoryBytes: number = availableMemory()): string {
  const wanted = Math.floor(memoryBytes / SHARE / MB);
  return `${Math.max(LEAST_MB, Math.min(MOST_MB, wanted))}MB`;
}

function availableMemory(): number {
  // 0 where there is no limit or none is known.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
