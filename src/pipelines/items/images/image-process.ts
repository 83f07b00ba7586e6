// The process that looks at images, seen from outside: started when it is first needed, asked one image after the other, killed when one takes too long or too
// much memory, and started again for the next. It ends by itself when nobody has asked for a while, and with its parent.
import { type ChildProcess, fork } from 'node:child_process';
import { loaderArguments, programBeside } from '../../../platform/child-program.ts';
import { memoryOfProcess } from '../memory-of-process.ts';
import type { ImageAnswer, ImageFacts, ImageFault } from './image-messages.ts';

export interface ImageLimits {
  /** Resident memory of the process; above it the process is killed. */
  readonly maxMemoryMb: number;
  readonly timeoutMs: number;
}

/** `fault`: of the image itself. `lost`: the process went away, and nobody knows why. */
export type Looked =
  | { readonly facts: ImageFacts }
  | { readonly fault: ImageFault; readonly reason: string }
  | { readonly lost: string };

const WATCH_MS = 100;
const IDLE_MS = 30_000;
const entry = programBeside(import.meta.url, 'image-child');

export class ImageReader {
  readonly #limits: ImageLimits;
  #child: ChildProcess | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #number = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: ImageLimits) {
    this.#limits = limits;
  }

  look(packed: Uint8Array, isDeflated: boolean, signal: AbortSignal): Promise<Looked> {
    const turn = this.#turn.then(() => (signal.aborted ? { lost: 'it was stopped' } : this.#ask(packed, isDeflated)));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  async #ask(packed: Uint8Array, isDeflated: boolean): Promise<Looked> {
    clearTimeout(this.#idle);
    const { maxMemoryMb, timeoutMs } = this.#limits;
    const child = this.#running();
    this.#number += 1;
    const id = this.#number;
    return new Promise<Looked>((resolve) => {
      const settle = (looked: Looked, isOver = false) => {
        clearTimeout(timer);
        clearInterval(watch);
        child.off('message', onMessage);
        child.off('exit', onExit);
        if (isOver) this.close();
        this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
        resolve(looked);
      };
      const onMessage = (answer: ImageAnswer) => {
        if (answer.id === id) settle('facts' in answer ? { facts: answer.facts } : answer);
      };
      // A decoder that crashes on an image does so again: the image is at fault, not the machine.
      const onExit = (code: number | null, signal: string | null) => {
        if (this.#child === child) this.#child = undefined;
        const crashed = ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGABRT'].includes(signal ?? '') || code === 134;
        settle(
          crashed
            ? { fault: 'image_damaged', reason: `its decoder crashed (${signal ?? code})` }
            : { lost: signal ?? `exit code ${code}` },
        );
      };
      const tooMuch = (reason: string) => settle({ fault: 'image_too_large', reason }, true);
      const timer = setTimeout(() => tooMuch(`it took over ${Math.round(timeoutMs / 1_000)} s`), timeoutMs);
      const watch = setInterval(() => {
        void memoryOfProcess(child.pid).then((mb) => {
          if (mb > maxMemoryMb) tooMuch(`it takes over ${maxMemoryMb} MB of memory`);
        });
      }, WATCH_MS);
      child.on('message', onMessage);
      child.once('exit', onExit);
      child.send({ id, packed, isDeflated }, (error) => {
        if (error !== null) settle({ lost: error.message }, true);
      });
    });
  }

  #running(): ChildProcess {
    if (this.#child !== undefined) return this.#child;
    const child = fork(entry, [], {
      execArgv: [
        `--max-old-space-size=${Math.max(64, Math.round(this.#limits.maxMemoryMb * 0.5))}`,
        ...loaderArguments(entry),
      ],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env: {},
    });
    child.on('error', () => undefined);
    // It must not keep a process alive that has nothing else to do.
    child.unref();
    child.channel?.unref();
    this.#child = child;
    return child;
  }
}
