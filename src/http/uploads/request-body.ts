// The bytes of a request as they come in, pulled by the reader: while nobody asks, the socket is paused and the sender waits.
// Ends a sender that is silent for too long or too slow. Only time spent waiting for the sender counts; time in which our own
// disk was the slow one does not. A connection that closes early is `upload_aborted`.
import type { IncomingMessage } from 'node:http';
import { MillraceError } from '../../contract/errors/millrace-error.ts';

/** Enough to keep the socket busy while a write is awaited. */
const maxQueuedBytes = 256 * 1024;
const checkEveryMs = 250;

export interface PaceLimits {
  /** Longest silence. */
  readonly idleMs: number;
  /** Slowest average over each window of `rateWindowMs` of waiting. */
  readonly minBytesPerSecond: number;
  readonly rateWindowMs: number;
}

export class RequestBody implements AsyncIterableIterator<Buffer> {
  readonly #request: IncomingMessage;
  readonly #limits: PaceLimits;
  readonly #watch: NodeJS.Timeout;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #isEnded = false;
  #failure: MillraceError | undefined;
  #reader: { resolve(result: IteratorResult<Buffer>): void; reject(error: unknown): void } | undefined;
  #waitingSince = 0;
  #windowWaitedMs = 0;
  #windowBytes = 0;

  constructor(request: IncomingMessage, limits: PaceLimits) {
    this.#request = request;
    this.#limits = limits;
    request.on('data', this.#onData);
    request.on('end', this.#onEnd);
    request.on('error', this.#onBroken);
    request.on('close', this.#onClose);
    this.#watch = setInterval(() => this.#checkPace(), checkEveryMs).unref();
    if (request.destroyed && !request.complete) this.#fail(new MillraceError('upload_aborted'));
  }

  next(): Promise<IteratorResult<Buffer>> {
    const chunk = this.#queue.shift();
    if (chunk !== undefined) {
      this.#queuedBytes -= chunk.byteLength;
      if (this.#queuedBytes < maxQueuedBytes && this.#request.isPaused()) this.#request.resume();
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#isEnded) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.#waitingSince = performance.now();
      this.#reader = { resolve, reject };
      if (this.#request.isPaused()) this.#request.resume();
    });
  }

  /** Lets go of the request; what is still to come is for whoever takes it next. */
  detach(): void {
    clearInterval(this.#watch);
    this.#request.off('data', this.#onData);
    this.#request.off('end', this.#onEnd);
    this.#request.off('close', this.#onClose);
    this.#queue = [];
    this.#queuedBytes = 0;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#windowBytes += chunk.byteLength;
    const reader = this.#takeReader();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: chunk });
      return;
    }
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.byteLength;
    if (this.#queuedBytes >= maxQueuedBytes) this.#request.pause();
  };

  readonly #onEnd = (): void => {
    this.#isEnded = true;
    this.#takeReader()?.resolve({ done: true, value: undefined });
  };

  readonly #onBroken = (): void => this.#fail(new MillraceError('upload_aborted'));

  readonly #onClose = (): void => {
    if (!this.#request.complete) this.#fail(new MillraceError('upload_aborted'));
  };

  #takeReader() {
    const reader = this.#reader;
    if (reader === undefined) return undefined;
    this.#reader = undefined;
    this.#windowWaitedMs += performance.now() - this.#waitingSince;
    return reader;
  }

  #fail(error: MillraceError): void {
    if (this.#isEnded) return;
    this.#failure ??= error;
    this.#takeReader()?.reject(this.#failure);
  }

  #checkPace(): void {
    if (this.#paceFault() === undefined) return;
    // This process may have been the one that stood still: what has arrived meanwhile is read before anybody is blamed.
    setImmediate(() => {
      const fault = this.#paceFault();
      if (fault !== undefined) this.#fail(fault);
    });
  }

  #paceFault(): MillraceError | undefined {
    if (this.#reader === undefined) return undefined;
    const { idleMs, minBytesPerSecond, rateWindowMs } = this.#limits;
    const silentMs = performance.now() - this.#waitingSince;
    if (silentMs >= idleMs) return new MillraceError('upload_stalled', { seconds: Math.round(idleMs / 100) / 10 });
    const waitedMs = this.#windowWaitedMs + silentMs;
    if (waitedMs < rateWindowMs) return undefined;
    if (this.#windowBytes < (minBytesPerSecond * waitedMs) / 1_000) {
      return new MillraceError('upload_too_slow', { rate: minBytesPerSecond });
    }
    this.#windowBytes = 0;
    this.#windowWaitedMs = -silentMs;
    return undefined;
  }
}
