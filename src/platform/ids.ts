// Ids: uuid v7 made in the process, so that ids sort by creation time on every supported server (only Postgres 18 has
// uuidv7() itself). Within one process ids never go backwards, even when the clock does.
import { randomFillSync } from 'node:crypto';

const maxSequence = 0xfff;
const poolBytes = 8 * 512;

const random = Buffer.alloc(poolBytes);
let randomUsed = poolBytes;
let lastMs = 0;
let sequence = 0;

/** A time-ordered uuid: 48 bits of milliseconds, 12 bits of sequence, 62 random bits. */
export function uuidv7(nowMs: number = Date.now()): string {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    sequence = 0;
  } else if (sequence < maxSequence) {
    sequence += 1;
  } else {
    // 4,096 ids in one millisecond: borrow the next one rather than repeat or wait.
    lastMs += 1;
    sequence = 0;
  }
  return format(lastMs, sequence, takeRandom());
}

/** The least uuid v7 of a moment: whatever was made since then sorts behind it. */
export function leastUuidv7(atMs: number): string {
  const time = Math.max(0, atMs).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** The moment a uuid v7 was made, in milliseconds. */
export function timeOfUuidv7(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

// Random bytes are drawn 4 kB at a time: one system call per 512 ids.
function takeRandom(): string {
  if (randomUsed === poolBytes) {
    randomFillSync(random);
    randomUsed = 0;
  }
  const hex = random.toString('hex', randomUsed, randomUsed + 8);
  randomUsed += 8;
  return hex;
}

function format(ms: number, counter: number, tail: string): string {
  const time = ms.toString(16).padStart(12, '0');
  const variant = ((Number.parseInt(tail[0] ?? '0', 16) & 0x3) | 0x8).toString(16);
  const seq = counter.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${seq}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`;
}
