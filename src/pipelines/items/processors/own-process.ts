// An own processor, seen from Millrace: its code runs in a process of its own, one per job, so that a processor that leaks memory, never gives
// the event loop back or ends its process takes down nothing but that process. Which row did it is known where the row was the only one that the process ever had; otherwise
// nobody is blamed, and each row is tried again alone (alone.ts). What the processor declares (columns, options, limits) is read here; nothing of it works here.
import { type ChildProcess, fork } from 'node:child_process';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { loaderArguments, programBeside } from '../../../platform/child-program.ts';
import { memoryOfProcess } from '../memory-of-process.ts';
import { Turns, UnknownCulprit, type WorksElsewhere } from './alone.ts';
import { OwnAnswers } from './own-answers.ts';
import type { FromOwn, SentWork, ToOwn } from './own-messages.ts';
import { type AnyProcessor, type Outcome, type ProcessContext, type ProcessedItem, retry } from './processor.ts';

export interface OwnLimits {
  /** Resident memory of a process; above it the process is ended. */
  readonly maxMemoryMb: number;
}

type Work = readonly { readonly item: ProcessedItem; readonly context: ProcessContext<unknown> }[];

interface Call {
  readonly work: Work;
  readonly answers: OwnAnswers;
  readonly settle: (outcomes: readonly Outcome[]) => void;
  readonly fail: (error: unknown) => void;
  /** Its time is over, and it alone is the reason; it may still be at work. */
  readonly late: () => void;
  /** Why it was told to stop; undefined: it was not. */
  stopped: unknown;
}

const WATCH_MS = 100;
const IDLE_MS = 10_000;
/** A module that takes longer to load takes the time of its rows. */
const READY_MS = 30_000;
/** A processor that was told to stop and does not is ended with its process. */
const STOP_MS = 2_000;
/** Of the memory limit; the rest is for what lies outside the heap. */
const HEAP_SHARE = 0.75;
const entry = programBeside(import.meta.url, 'own-child');

/** The same processor, whose work is done in processes of its own. */
export function inOwnProcess(processor: AnyProcessor, specifier: string, limits: OwnLimits): WorksElsewhere {
  const byJob = new Map<string, OwnProcess>();
  const processOf = (jobId: string): OwnProcess => {
    const forget = (ended: OwnProcess) => void (byJob.get(jobId) === ended && byJob.delete(jobId));
    const own = byJob.get(jobId) ?? new OwnProcess(specifier, processor.name, limits, forget);
    byJob.set(jobId, own);
    return own;
  };
  const turns = new Turns();
  return {
    ...asProcessor(processor, (work) => processOf(work[0]?.context.jobId ?? '').run(work)),
    ready: (jobId) => processOf(jobId).ready,
    alone: (jobId, signal, attempt) =>
      turns.take(jobId, async () => {
        signal.throwIfAborted();
        const own = new OwnProcess(specifier, processor.name, limits, () => undefined);
        try {
          return await attempt({ ...asProcessor(processor, (work) => own.run(work)), ready: () => own.ready });
        } finally {
          own.close();
        }
      }),
  };
}

function asProcessor(processor: AnyProcessor, run: (work: Work) => Promise<readonly Outcome[]>): AnyProcessor {
  return {
    ...processor,
    process: async (item, context) => (await run([{ item, context }]))[0] as Outcome,
    ...(processor.processBatch === undefined ? {} : { processBatch: run }),
  };
}

class OwnProcess {
  /** Its module is loaded, or it has ended, or that took too long. */
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;
  readonly #limits: OwnLimits;
  readonly #calls = new Map<number, Call>();
  readonly #watch: NodeJS.Timeout;
  readonly #onEnd: (ended: OwnProcess) => void;
  #idle: NodeJS.Timeout | undefined;
  #last = 0;
  /** Rows that it was ever given. */
  #rows = 0;
  #ending: MillraceError | undefined;
  #isReady: () => void = () => undefined;

  constructor(specifier: string, processor: string, limits: OwnLimits, onEnd: (ended: OwnProcess) => void) {
    this.#limits = limits;
    this.#onEnd = onEnd;
    this.#child = fork(entry, [], {
      execArgv: [`--max-old-space-size=${Math.round(limits.maxMemoryMb * HEAP_SHARE)}`, ...loaderArguments(entry)],
      serialization: 'advanced',
      // What the code prints must not come between the lines of a command.
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    this.#child.on('message', (message: FromOwn) => this.#heard(message));
    this.#child.once('exit', (code, signal) => this.#ended(signal ?? `exit code ${code}`));
    this.#child.once('error', (error) => this.#ended(error.message));
    // It must not keep a process alive that has nothing else to do.
    this.#child.unref();
    this.#child.channel?.unref();
    this.#watch = setInterval(() => void this.#weigh(), WATCH_MS).unref();
    this.ready = new Promise((resolve) => {
      this.#isReady = resolve;
      setTimeout(resolve, READY_MS).unref();
    });
    this.#rest(READY_MS);
    this.#send({ open: specifier, processor });
  }

  /** Nobody needs it now. */
  #rest(forMs: number): void {
    this.#idle = setTimeout(() => this.#end(failed('it was idle')), forMs).unref();
  }

  run(work: Work): Promise<readonly Outcome[]> {
    clearTimeout(this.#idle);
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      const [first] = work;
      if (first === undefined) return resolve([]);
      const { signal } = first.context;
      const answers = new OwnAnswers(first.context);
      this.#rows += work.length;
      let stopping: NodeJS.Timeout | undefined;
      const stop = () => {
        call.stopped = signal.reason ?? new Error('it was stopped');
        this.#send({ stop: id });
        stopping = setTimeout(() => this.#end(failed('a row did not stop when its time was over')), STOP_MS);
        stopping.unref();
      };
      const over = () => {
        clearTimeout(stopping);
        signal.removeEventListener('abort', stop);
        answers.close();
        this.#calls.delete(id);
        if (this.#calls.size === 0) this.#rest(IDLE_MS);
      };
      const call: Call = {
        work,
        answers,
        settle: (outcomes) => {
          over();
          resolve(outcomes);
        },
        fail: (error) => {
          over();
          reject(error);
        },
        late: () => reject(call.stopped),
        stopped: undefined,
      };
      this.#calls.set(id, call);
      signal.addEventListener('abort', stop, { once: true });
      this.#send({ call: id, work: work.map(sent) });
      if (signal.aborted) stop();
    });
  }

  /** It has done what it was for. */
  close(): void {
    this.#end(failed('it was not needed any more'));
  }

  #heard(message: FromOwn): void {
    if ('ready' in message) {
      this.#isReady();
      return;
    }
    const call = this.#calls.get(message.call);
    if (call === undefined) return;
    // It heard that the time is over, so it is not this row's neighbours that keep it. Whether the row stops is seen by its process.
    if ('stopping' in message) call.late();
    else if ('outcomes' in message) call.settle(message.outcomes);
    else if ('fault' in message) call.fail(call.answers.fault ?? new Error(message.fault));
    else if ('told' in message) call.work[message.index]?.context.tell(message.told);
    else
      call.answers.answer(message.asked).then(
        (value) => this.#send({ reply: message.ask, value }),
        (error: unknown) =>
          this.#send({ reply: message.ask, fault: error instanceof Error ? error.message : String(error) }),
      );
  }

  async #weigh(): Promise<void> {
    const { maxMemoryMb: mb } = this.#limits;
    if ((await memoryOfProcess(this.#child.pid)) > mb) this.#end(new MillraceError('processor_out_of_memory', { mb }));
  }

  #end(reason: MillraceError): void {
    this.#ending ??= reason;
    this.#onEnd(this);
    this.#child.kill('SIGKILL');
  }

  /** Node aborts when its heap is full; whatever else ended it is told as it is. */
  #ended(how: string): void {
    clearInterval(this.#watch);
    clearTimeout(this.#idle);
    this.#isReady();
    this.#onEnd(this);
    const isFull = how === 'SIGABRT' || how === 'exit code 134';
    const { maxMemoryMb: mb } = this.#limits;
    const reason =
      this.#ending ??
      (isFull ? new MillraceError('processor_out_of_memory', { mb }) : failed(`its process ended (${how})`));
    const isCertain = this.#rows === 1;
    for (const { work, settle, fail, stopped } of [...this.#calls.values()])
      if (!isCertain) fail(new UnknownCulprit(reason.message));
      else if (stopped !== undefined) fail(stopped);
      else settle(work.map(() => retry('transient', reason.message, { code: reason.code })));
  }

  #send(message: ToOwn): void {
    // A process that is gone is told of by its end.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}

function sent({ item, context }: Work[number]): SentWork {
  const { strategy, attempt, idempotencyKey, options, tenantId, jobId } = context;
  return { item, context: { strategy, attempt, idempotencyKey, options, tenantId, jobId } };
}

function failed(reason: string): MillraceError {
  return new MillraceError('processor_failed', { reason });
}
