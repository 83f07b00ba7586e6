// How much memory the embedded server keeps pages and unwritten log in. With 128 MB of pages, a third load of 50 MB found its index pushed out
// to disk by the rows it wrote itself: an eighth of the server's time went into writing pages out and reading them back. With 512 MB it did
// not. With 16 MB of log, two connections that promote rows waited for each other to write it out: 64 MB saved 5 % of that time.
import { totalmem } from 'node:os';

const MB = 1024 * 1024;
const LEAST_MB = 128;
const MOST_MB = 512;
/** Postgres advises a quarter for a machine of its own; this one is shared with whatever else its owner does. */
const SHARE = 16;
/** Of the pages: what Postgres takes by itself is less, and never more than 16 MB. */
const LOG_SHARE = 8;

/** Settings of the server; by the machine's memory, or the container's where that is less. */
export function memorySettings(memoryBytes: number = availableMemory()): Readonly<Record<string, string>> {
  const wanted = Math.floor(memoryBytes / SHARE / MB);
  const pagesMb = Math.max(LEAST_MB, Math.min(MOST_MB, wanted));
  return { shared_buffers: `${pagesMb}MB`, wal_buffers: `${Math.floor(pagesMb / LOG_SHARE)}MB` };
}

function availableMemory(): number {
  // 0 where there is no limit or none is known.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
