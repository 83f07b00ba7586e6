// The embedded model, or a folder of the operator's: embedding in a process of its own that is started with the first text, shared by all
// runs of this process, and started again when it dies. It never keeps the process alive.
import { type ChildProcess, fork } from 'node:child_process';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { loaderArguments, programBeside } from '../../../platform/child-program.ts';
import type { Embedder, ModelFacts } from './embedder.ts';
import type { EmbeddingAnswer, EmbeddingRequest } from './embedding-messages.ts';
import { readTokenizer } from './model-folder.ts';
import { Turns } from './turns.ts';
import type { WordPiece } from './word-piece.ts';

/** Texts per message. The process has one message at a time, so a question waits for one message of a document at most. */
const TEXTS_PER_MESSAGE = 8;
const ANSWER_WITHIN_MS = 120_000;
const entry = programBeside(import.meta.url, 'embedding-child');

interface Waiting {
  resolve(answer: EmbeddingAnswer): void;
  reject(error: unknown): void;
}

export class OnnxEmbedder implements Embedder {
  readonly facts: ModelFacts;
  readonly #folder: string;
  readonly #runtime: EmbeddingRequest['runtime'];
  readonly #waiting = new Map<number, Waiting>();
  readonly #turns = new Turns();
  #child: ChildProcess | undefined;
  /** The process whose model is loaded. */
  #loaded: ChildProcess | undefined;
  #next = 0;
  #tokenizer: WordPiece | undefined;

  constructor(facts: ModelFacts, folder: string, runtime: EmbeddingRequest['runtime'] = 'auto') {
    this.facts = facts;
    this.#folder = folder;
    this.#runtime = runtime;
  }

  countTokens(text: string): number {
    this.#tokenizer ??= readTokenizer(this.#folder);
    return this.#tokenizer.count(text);
  }

  unknownShare(text: string): number {
    this.#tokenizer ??= readTokenizer(this.#folder);
    return this.#tokenizer.unknownShare(text);
  }

  async load(): Promise<void> {
    if (this.#loaded === undefined || this.#loaded !== this.#child) await this.#ask([], true);
  }

  async embed(texts: readonly string[], signal?: AbortSignal, urgent = false): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += TEXTS_PER_MESSAGE) {
      const answer = await this.#ask(texts.slice(at, at + TEXTS_PER_MESSAGE), urgent, signal);
      vectors.push(...answer.vectors.map((vector) => Float32Array.from(vector)));
    }
    return vectors;
  }

  async runtime(): Promise<string> {
    return (await this.#ask([], true)).runtime;
  }

  close(): void {
    this.#child?.kill('SIGKILL');
  }

  async #ask(
    texts: readonly string[],
    urgent: boolean,
    signal?: AbortSignal,
  ): Promise<Extract<EmbeddingAnswer, { vectors: unknown }>> {
    const done = await this.#turns.next(urgent);
    try {
      signal?.throwIfAborted();
      return await this.#send(texts);
    } finally {
      done();
    }
  }

  async #send(texts: readonly string[]): Promise<Extract<EmbeddingAnswer, { vectors: unknown }>> {
    const id = this.#next++;
    const child = this.#start();
    let timer: NodeJS.Timeout | undefined;
    try {
      const answer = await new Promise<EmbeddingAnswer>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        timer = setTimeout(() => child.kill('SIGKILL'), ANSWER_WITHIN_MS);
        const request: EmbeddingRequest = { id, folder: this.#folder, runtime: this.#runtime, texts };
        child.send(request, (error) => {
          if (error !== null) reject(lost(error.message));
        });
      });
      if ('error' in answer)
        throw new MillraceError('embedding_model_unusable', { reason: answer.error.slice(0, 200) });
      this.#loaded = child;
      return answer;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) rest(child);
    }
  }

  #start(): ChildProcess {
    const running = this.#child;
    if (running?.connected === true) {
      running.ref();
      running.channel?.ref();
      return running;
    }
    const child = fork(entry, [], {
      execArgv: loaderArguments(entry),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    child.on('message', (answer: EmbeddingAnswer) => this.#waiting.get(answer.id)?.resolve(answer));
    child.on('error', (error) => this.#giveUp(child, error.message));
    child.once('exit', (code, signal) => this.#giveUp(child, signal ?? `exit code ${code}`));
    this.#child = child;
    return child;
  }

  #giveUp(child: ChildProcess, reason: string): void {
    if (this.#child === child) this.#child = undefined;
    for (const { reject } of this.#waiting.values()) reject(lost(reason));
  }
}

function rest(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

function lost(reason: string): MillraceError {
  return new MillraceError('embedding_provider_failed', { reason: `its process ended (${reason})` });
}
