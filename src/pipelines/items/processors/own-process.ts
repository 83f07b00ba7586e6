// An own processor, seen from Millrace: its code runs in a process of its own, one per job, so that a processor that leaks memory, never gives
// the event loop back or ends its process takes down nothing but the rows it was working on. Those are tried again in a new process, and end with an
// error that says what happened. What the processor declares (columns, options, limits) is read here; nothing of it works here.
import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { memoryOfProcess } from '../memory-of-process.ts';
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
}

const WATCH_MS = 100;
const IDLE_MS = 10_000;
/** A processor that was told to stop and does not is ended with its process. */
const STOP_MS = 2_000;
/** Of the memory limit; the rest is for what lies outside the heap. */
const HEAP_SHARE = 0.75;
const isSource = import.meta.url.endsWith('.ts');
const entry = fileURLToPath(new URL(isSource ? './own-child.ts' : './own-child.js', import.meta.url));

/** The same processor, whose work is done in processes of its own. */
export function inOwnProcess(processor: AnyProcessor, specifier: string, limits: OwnLimits): AnyProcessor {
  const byJob = new Map<string, OwnProcess>();
  const run = (work: Work): Promise<readonly Outcome[]> => {
    const jobId = work[0]?.context.jobId ?? '';
    const forget = (ended: OwnProcess) => void (byJob.get(jobId) === ended && byJob.delete(jobId));
    const own = byJob.get(jobId) ?? new OwnProcess(specifier, processor.name, limits, forget);
    byJob.set(jobId, own);
    return own.run(work);
  };
  return {
    ...processor,
    process: async (item, context) => (await run([{ item, context }]))[0] as Outcome,
    ...(processor.processBatch === undefined ? {} : { processBatch: run }),
  };
}

class OwnProcess {
  readonly #child: ChildProcess;
  readonly #limits: OwnLimits;
  readonly #calls = new Map<number, Call>();
  readonly #watch: NodeJS.Timeout;
  readonly #onEnd: (ended: OwnProcess) => void;
  #idle: NodeJS.Timeout | undefined;
  #last = 0;
  #ending: MillraceError | undefined;

  constructor(specifier: string, processor: string, limits: OwnLimits, onEnd: (ended: OwnProcess) => void) {
    this.#limits = limits;
    this.#onEnd = onEnd;
    this.#child = fork(entry, [], {
      execArgv: [
        `--max-old-space-size=${Math.round(limits.maxMemoryMb * HEAP_SHARE)}`,
        ...(isSource ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : []),
      ],
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
    this.#send({ open: specifier, processor });
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
      let stopping: NodeJS.Timeout | undefined;
      const stop = () => {
        this.#send({ stop: id });
        stopping = setTimeout(() => this.#end(failed('a row before it did not stop when its time was over')), STOP_MS);
        stopping.unref();
      };
      const over = () => {
        clearTimeout(stopping);
        signal.removeEventListener('abort', stop);
        answers.close();
        this.#calls.delete(id);
        if (this.#calls.size === 0) this.#idle = setTimeout(() => this.#end(failed('it was idle')), IDLE_MS).unref();
      };
      this.#calls.set(id, {
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
      });
      signal.addEventListener('abort', stop, { once: true });
      this.#send({ call: id, work: work.map(sent) });
    });
  }

  #heard(message: FromOwn): void {
    const call = this.#calls.get(message.call);
    if (call === undefined) return;
    if ('outcomes' in message) call.settle(message.outcomes);
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
    this.#onEnd(this);
    const isFull = how === 'SIGABRT' || how === 'exit code 134';
    const { maxMemoryMb: mb } = this.#limits;
    const reason =
      this.#ending ??
      (isFull ? new MillraceError('processor_out_of_memory', { mb }) : failed(`its process ended (${how})`));
    for (const { work, settle } of [...this.#calls.values()])
      settle(work.map(() => retry('transient', reason.message, { code: reason.code })));
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
