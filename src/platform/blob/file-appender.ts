// Writes small chunks to a file in few large writes. One write is under way while the next one gathers, so memory stays at two
// batches. Measured for 50 MB in 64 KB chunks: one write each 66 ms, gathered to 1 MB 9 ms.
//
// The batch shrinks when many files are written at once, so that all of them together stay near the budget.
import type { FileHandle } from 'node:fs/promises';

const largestBatchBytes = 1024 * 1024;
const smallestBatchBytes = 64 * 1024;
const budgetBytes = 32 * 1024 * 1024;
/** A slow sender's bytes reach the disk at least this often; it also keeps the file's mtime fresh (see removeUnfinished). */
const flushEveryMs = 1_000;

let openAppenders = 0;

export type WritableFile = Pick<FileHandle, 'writev'>;

export class FileAppender {
  readonly #file: WritableFile;
  readonly #timer: NodeJS.Timeout;
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #writing: Promise<void> | undefined;
  #failure: unknown;

  constructor(file: WritableFile) {
    this.#file = file;
    openAppenders += 1;
    this.#timer = setInterval(() => this.#flushIfIdle(), flushEveryMs).unref();
  }

  /** Takes a chunk; the promise, if there is one, must be awaited before the next chunk is given. */
  add(chunk: Uint8Array): Promise<void> | undefined {
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.byteLength;
    return this.#gatheredBytes >= batchBytes() ? this.#startBatch() : undefined;
  }

  async finish(): Promise<void> {
    await this.#startBatch();
    await this.#settle();
  }

  /** Stops the timer and waits until no write is under way; never fails. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    openAppenders -= 1;
    await this.#writing;
  }

  async #startBatch(): Promise<void> {
    await this.#settle();
    this.#begin();
  }

  async #settle(): Promise<void> {
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  #flushIfIdle(): void {
    if (this.#writing === undefined && this.#failure === undefined) this.#begin();
  }

  #begin(): void {
    if (this.#gatheredBytes === 0) return;
    const batch = this.#gathered;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#writing = writeAll(this.#file, batch).then(
      () => {
        this.#writing = undefined;
      },
      (error: unknown) => {
        this.#failure = error;
        this.#writing = undefined;
      },
    );
  }
}

function batchBytes(): number {
  const share = Math.floor(budgetBytes / (2 * openAppenders));
  return Math.min(largestBatchBytes, Math.max(smallestBatchBytes, share));
}

/** A short write is what a nearly full disk gives; asking again for the rest then brings the error. */
async function writeAll(file: WritableFile, chunks: Uint8Array[]): Promise<void> {
  let rest = chunks;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest);
    rest = dropFront(rest, bytesWritten);
  }
}

function dropFront(chunks: Uint8Array[], bytes: number): Uint8Array[] {
  let toDrop = bytes;
  for (const [index, chunk] of chunks.entries()) {
    if (toDrop < chunk.byteLength) return [chunk.subarray(toDrop), ...chunks.slice(index + 1)];
    toDrop -= chunk.byteLength;
  }
  return [];
}
