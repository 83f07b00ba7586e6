// Starts the process that reads a document, watches its memory and its time, and ends it: when it is done, when it takes more than it may,
// and when nobody wants its pages any more. Works from the sources (through tsx) and from the build alike.
import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { isErrorCode } from '../../../contract/errors/catalogue.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { loaderArguments, programBeside } from '../../../platform/child-program.ts';
import { AnswerClock, cpuMsOf } from './answer-clock.ts';
import type { ExtractionAnswer, ExtractionRequest, Opened, OpenRequest } from './extraction-messages.ts';
import type { ReadPage } from './page.ts';

export interface ExtractionLimits {
  /** Resident memory of the process; above it the process is killed. */
  readonly maxMemoryMb: number;
  /** Longest wait for one answer, a batch of pages, or one page with OCR; longer where the machine is busy (answer-clock.ts). */
  readonly timeoutMs: number;
  /** The program of the process, compiled; default: the one beside this file. Tests start it many times, and a loader costs each a second. */
  readonly program?: string;
}

const WATCH_MS = 100;
const PAGE_BYTES = 4096;
const entry = programBeside(import.meta.url, 'extraction-child');

export class ExtractionProcess {
  readonly #child: ChildProcess;
  readonly #limits: ExtractionLimits;
  readonly #watch: NodeJS.Timeout;
  readonly #clock: AnswerClock;
  #failure: MillraceError | undefined;
  #pending: ((answer: ExtractionAnswer | undefined) => void) | undefined;
  #peakMb = 0;

  constructor(limits: ExtractionLimits) {
    this.#limits = limits;
    const program = limits.program ?? entry;
    const loader = loaderArguments(program);
    this.#child = fork(program, [], {
      execArgv: [`--max-old-space-size=${Math.max(64, Math.round(limits.maxMemoryMb * 0.7))}`, ...loader],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env: {},
    });
    this.#clock = new AnswerClock(
      limits.timeoutMs,
      () => cpuMsOf(this.#child.pid),
      () => this.#takesTooLong(),
    );
    this.#child.on('message', (answer: ExtractionAnswer) =>
      answer.type === 'alive' ? this.#clock.start() : this.#settle(answer),
    );
    this.#child.on('error', (error) => this.#fail(new MillraceError('extractor_lost', { reason: error.message })));
    this.#child.once('exit', (code, signal) => this.#noteExit(code, signal));
    this.#watch = setInterval(() => void this.#checkMemory(), WATCH_MS);
    this.#watch.unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** It ended, or was ended: whatever it is asked fails. */
  get isGone(): boolean {
    return this.#failure !== undefined || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The most resident memory it was seen to hold. */
  get peakMb(): number {
    return this.#peakMb;
  }

  async open(request: Omit<OpenRequest, 'ask'>): Promise<Opened> {
    const answer = await this.#ask({ ask: 'open', ...request });
    return (answer as Extract<ExtractionAnswer, { type: 'opened' }>).opened;
  }

  async pages(from: number, to: number): Promise<readonly ReadPage[]> {
    const answer = await this.#ask({ ask: 'pages', from, to });
    return (answer as Extract<ExtractionAnswer, { type: 'pages' }>).pages;
  }

  async image(pageNo: number, dpi: number): Promise<Buffer> {
    const answer = await this.#ask({ ask: 'image', pageNo, dpi });
    return Buffer.from((answer as Extract<ExtractionAnswer, { type: 'image' }>).png);
  }

  stop(): void {
    clearInterval(this.#watch);
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
  }

  async #ask(request: ExtractionRequest): Promise<ExtractionAnswer> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#clock.start();
    try {
      const answer = await new Promise<ExtractionAnswer | undefined>((resolve) => {
        this.#pending = resolve;
        this.#child.send(request, (error) => {
          if (error !== null) this.#fail(new MillraceError('extractor_lost', { reason: error.message }));
        });
      });
      if (answer === undefined)
        throw this.#failure ?? new MillraceError('extractor_lost', { reason: 'it was stopped' });
      if (answer.type !== 'failed') return answer;
      throw isErrorCode(answer.code) ? new MillraceError(answer.code, answer.params) : new Error(answer.code);
    } finally {
      this.#clock.stop();
    }
  }

  #takesTooLong(): void {
    const reason = `it took over ${Math.round(this.#limits.timeoutMs / 1_000)} s`;
    this.#fail(new MillraceError('document_too_complex', { reason }));
    this.stop();
  }

  #settle(answer: ExtractionAnswer | undefined): void {
    const resolve = this.#pending;
    this.#pending = undefined;
    resolve?.(answer);
  }

  /** The first failure is the cause; what follows is its consequence. */
  #fail(error: MillraceError): void {
    this.#failure ??= error;
    this.#settle(undefined);
  }

  #noteExit(code: number | null, signal: string | null): void {
    clearInterval(this.#watch);
    // V8 aborts (SIGABRT, or 134 through a shell) when the heap limit is reached.
    if (signal === 'SIGABRT' || code === 134) this.#fail(this.#tooMuch());
    // A library that crashes on a file does so again: the file is at fault, not the machine.
    else if (signal === 'SIGSEGV' || signal === 'SIGBUS' || signal === 'SIGILL')
      this.#fail(new MillraceError('document_damaged', { reason: `its reader crashed (${signal})` }));
    else this.#fail(new MillraceError('extractor_lost', { reason: signal ?? `exit code ${code}` }));
  }

  /** Only Linux tells what another process holds; elsewhere the heap limit must do. */
  async #checkMemory(): Promise<void> {
    if (this.#child.pid === undefined) return;
    const statm = await readFile(`/proc/${this.#child.pid}/statm`, 'utf8').catch(() => null);
    const mb = (Number(statm?.split(' ')[1] ?? 0) * PAGE_BYTES) / 1024 ** 2;
    this.#peakMb = Math.max(this.#peakMb, mb);
    if (mb <= this.#limits.maxMemoryMb) return;
    this.#fail(this.#tooMuch());
    this.stop();
  }

  #tooMuch(): MillraceError {
    return new MillraceError('document_too_complex', {
      reason: `it takes over ${this.#limits.maxMemoryMb} MB of memory`,
    });
  }
}
