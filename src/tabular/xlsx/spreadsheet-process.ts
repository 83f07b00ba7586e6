// Starts the process that reads a spreadsheet, watches its memory and its progress, and ends it: when it is done, when it takes
// more than it may, and when nobody wants its rows any more. Works from the sources (through tsx) and from the build alike.
import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { isErrorCode } from '../../contract/errors/catalogue.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { loaderArguments, programBeside } from '../../platform/child-program.ts';
import type { WorkbookRest } from '../row-batch.ts';
import type { OtherSheet, SpreadsheetMessage, SpreadsheetRequest } from './spreadsheet-messages.ts';

const WATCH_MS = 100;
const PAGE_BYTES = 4096;
const entry = programBeside(import.meta.url, 'spreadsheet-child');

export interface OpenedSpreadsheet {
  readonly sheet: string;
  readonly names: readonly string[];
  readonly others: readonly OtherSheet[];
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Known once all chunks were taken. */
  rest(): WorkbookRest | null;
  close(): void;
}

type Opened = Pick<OpenedSpreadsheet, 'sheet' | 'names' | 'others'>;

export async function openSpreadsheet(request: SpreadsheetRequest): Promise<OpenedSpreadsheet> {
  const reader = new SpreadsheetProcess(request);
  try {
    const { sheet, names, others } = await reader.opened();
    return { sheet, names, others, chunks: reader.rows(), rest: () => reader.rest, close: () => reader.stop() };
  } catch (error) {
    reader.stop();
    throw error;
  }
}

class SpreadsheetProcess {
  readonly #child: ChildProcess;
  readonly #request: SpreadsheetRequest;
  readonly #exited: Promise<void>;
  readonly #watch: NodeJS.Timeout;
  #opened: Opened | null = null;
  #failure: MillraceError | null = null;
  #isFinished = false;
  #stall: NodeJS.Timeout | undefined;
  rest: WorkbookRest | null = null;
  #waitedMs = 0;
  #wake: () => void = () => undefined;

  constructor(request: SpreadsheetRequest) {
    this.#request = request;
    this.#child = fork(entry, [], {
      execArgv: [`--max-old-space-size=${request.limits.spreadsheet.maxHeapMb}`, ...loaderArguments(entry)],
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
      env: {},
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#noteExit(code, signal);
        resolve();
      });
      // Could not be started, or could not be told what to do.
      this.#child.on('error', (error) => {
        this.#fail(new MillraceError('spreadsheet_reader_lost', { reason: error.message }));
        resolve();
      });
    });
    // Node throws away what an ended child has written unless somebody listens. A short sheet is written and its reader gone before the
    // first row is asked for, so we listen from the start.
    this.#child.stdout?.on('readable', () => undefined);
    this.#child.on('message', (message: SpreadsheetMessage) => this.#take(message));
    this.#watch = setInterval(() => void this.#checkMemory(), WATCH_MS);
    this.#child.send(request);
  }

  async opened(): Promise<Opened> {
    while (this.#opened === null && this.#failure === null) await this.#progress(this.#nextMessage());
    if (this.#failure !== null) throw this.#failure;
    return this.#opened ?? { sheet: '', names: [], others: [] };
  }

  async *rows(): AsyncGenerator<Uint8Array> {
    const pipe = this.#child.stdout;
    if (pipe === null) return;
    const chunks = pipe[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await this.#progress(chunks.next());
        if (done === true) break;
        yield value as Uint8Array;
      }
      await this.#exited;
      if (this.#failure !== null) throw this.#failure;
    } finally {
      this.stop();
    }
  }

  stop(): void {
    clearInterval(this.#watch);
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL');
  }

  #nextMessage(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      void this.#exited.then(resolve);
    });
  }

  #take(message: SpreadsheetMessage): void {
    if (message.type === 'opened') this.#opened = message;
    else if (message.type === 'counting') this.#stall?.refresh();
    else if (message.type === 'finished') {
      this.#isFinished = true;
      this.rest = message.rest;
    } else if (message.type === 'failed' && isErrorCode(message.code))
      this.#fail(new MillraceError(message.code, message.params));
    this.#wake();
  }

  /** The first failure is the cause; what follows is its consequence. */
  #fail(error: MillraceError): void {
    this.#failure ??= error;
  }

  #noteExit(code: number | null, signal: string | null): void {
    clearInterval(this.#watch);
    if (this.#isFinished || this.#failure !== null) return;
    // V8 aborts (SIGABRT, or 134 through a shell) when the heap limit is reached.
    if (signal === 'SIGABRT' || code === 134) this.#fail(tooMuchMemory(this.#request));
    else this.#fail(new MillraceError('spreadsheet_reader_lost', { reason: signal ?? `exit code ${code}` }));
  }

  /** Waits for the child, but not longer than it may stay silent, nor than it may take in all: rows that drip are no progress. */
  async #progress<T>(step: Promise<T>): Promise<T> {
    const { stallMs, maxWaitMs } = this.#request.limits.spreadsheet;
    const leftMs = Math.max(0, maxWaitMs - this.#waitedMs);
    const reason =
      leftMs < stallMs ? `it took over ${inSeconds(maxWaitMs)}` : `it made no progress for ${inSeconds(stallMs)}`;
    const startedAt = performance.now();
    const overdue = new Promise<never>((_, reject) => {
      this.#stall = setTimeout(
        () => {
          this.#fail(new MillraceError('spreadsheet_too_slow', { reason }));
          this.stop();
          reject(this.#failure);
        },
        Math.min(stallMs, leftMs),
      );
    });
    try {
      return await Promise.race([step, overdue]);
    } catch (error) {
      throw this.#failure ?? error;
    } finally {
      clearTimeout(this.#stall);
      this.#waitedMs += performance.now() - startedAt;
    }
  }

  /** Only Linux tells what another process holds; elsewhere the heap limit and the counted bytes must do. */
  async #checkMemory(): Promise<void> {
    if (this.#child.pid === undefined) return;
    const statm = await readFile(`/proc/${this.#child.pid}/statm`, 'utf8').catch(() => null);
    const residentPages = Number(statm?.split(' ')[1] ?? 0);
    if (residentPages * PAGE_BYTES > this.#request.limits.spreadsheet.maxResidentMb * 1024 * 1024) {
      this.#fail(tooMuchMemory(this.#request));
      this.stop();
    }
  }
}

function inSeconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

function tooMuchMemory(request: SpreadsheetRequest): MillraceError {
  return new MillraceError('spreadsheet_too_large', {
    reason: `reading it takes over ${request.limits.spreadsheet.maxResidentMb} MB of memory`,
  });
}
