// Cuts a stream of chunks into windows of a wanted size, each a buffer of its own that a batch may keep. What a reader leaves
// unread of a window is put at the start of the next one.

/** About 2,700 rows of an ads export. Smaller windows cost throughput, larger ones memory; 256 KiB to 1 MiB measured alike. */
export const DEFAULT_BATCH_BYTES = 512 * 1024;

const LF = 10;

export interface Window {
  /** One byte longer than `length`: the last one is a line feed that scanners run into. */
  readonly bytes: Buffer;
  readonly length: number;
  /** Position of the window's first byte in the stream. */
  readonly streamStart: number;
  /** Whether the stream ends with this window. */
  readonly isLast: boolean;
}

/** Reads one chunk ahead, so that it knows whether the end has come. */
export class Windows {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #batchBytes: number;
  #ahead: Uint8Array | null = null;
  #rest: Uint8Array = new Uint8Array(0);
  #current: Buffer = Buffer.alloc(0);
  #length = 0;
  #streamStart = 0;
  #grow = 1;

  constructor(chunks: AsyncIterable<Uint8Array>, batchBytes: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#batchBytes = batchBytes;
  }

  async next(): Promise<Window> {
    const parts: Uint8Array[] = [this.#rest];
    let length = this.#rest.length;
    const wanted = this.#batchBytes * this.#grow;
    if (this.#ahead === null) this.#ahead = await this.#pull();
    while (length < wanted && this.#ahead !== null) {
      parts.push(this.#ahead);
      length += this.#ahead.length;
      this.#ahead = await this.#pull();
    }
    const bytes = Buffer.allocUnsafeSlow(length + 1);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    bytes[length] = LF;
    this.#current = bytes;
    this.#length = length;
    return { bytes, length, streamStart: this.#streamStart, isLast: this.#ahead === null };
  }

  /** Everything before `consumed` is done with. A window without a whole row makes the next one larger. */
  keepFrom(consumed: number): void {
    this.#rest = this.#current.subarray(consumed, this.#length);
    this.#grow = consumed === 0 && this.#length > 0 ? this.#grow * 2 : 1;
    this.#streamStart += consumed;
  }

  /** Lets go of the source before its end. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #pull(): Promise<Uint8Array | null> {
    for (;;) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return null;
      if (value.length > 0) return value;
    }
  }
}
