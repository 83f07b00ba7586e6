// Keeps V8's space for new objects at 2 × 8 MB. By itself it grows to 2 × 16 MB while the program is being loaded, and every byte of it is
// touched between two collections.
//
// `--max-semi-space-size` is read once, before our first line runs, and a process cannot restart itself without leaving a parent behind.
// The factor by which the space grows is read at each growth. It is 1, except while we let the space grow: a callback behind a collection
// alone comes too late, since the imports of the program make several collections before the event loop turns. The library leaves all this
// alone: a program that embeds Millrace decides about its own memory.
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const ENOUGH_BYTES = 2 * 8 * 1024 * 1024;
/** Where so many survivors do not make the space grow, V8 does not grow by the factor: memory stays as V8 wants it. */
const MAX_SURVIVORS = 100_000;
/** So many collections at one look mean work; an idle process keeps what V8 shrank its space to. */
const BUSY_COLLECTIONS = 4;

/** From now on, for the life of the process. Does nothing where the operator gave Node a size of his own, by its arguments or NODE_OPTIONS. */
export function limitNewObjectSpace(nodeOptions = ''): void {
  if (/semi[-_]space/.test([...process.execArgv, nodeOptions].join(' '))) return;
  growToLimit();
  let collections = 0;
  new PerformanceObserver((list) => {
    collections += list.getEntries().length;
    if (collections < BUSY_COLLECTIONS) return;
    collections = 0;
    growToLimit();
  }).observe({ entryTypes: ['gc'] });
}

/** V8 lets the space grow behind a collection that more bytes survived than it holds; so some are kept until it did. */
function growToLimit(): void {
  const survivors: unknown[] = [];
  for (let size = newObjectSpaceBytes(); size > 0 && size < ENOUGH_BYTES; ) {
    setGrowth(Math.floor(ENOUGH_BYTES / size));
    const before = size;
    while (size === before && survivors.length < MAX_SURVIVORS) {
      for (let i = 0; i < 1_000; i++) survivors.push({ i, more: [i] });
      size = newObjectSpaceBytes();
    }
    if (size === before) break;
  }
  setGrowth(1);
}

function setGrowth(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

function newObjectSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
