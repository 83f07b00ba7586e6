// A service that embeds: OpenAI's API and what speaks it, text-embeddings-inference, or the specification's embed-svc. Requests carry at
// most EMBEDDING_BATCH texts; a request that is too large or too slow is halved, one that went well lets the next grow again.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { askedWaitMs } from '../../../platform/retry-after.ts';
import { type Embedder, type ModelFacts, toUnitLength } from './embedder.ts';
import { embeddedFolder, readTokenizer } from './model-folder.ts';
import type { WordPiece } from './word-piece.ts';

export interface HttpEmbedderOptions {
  readonly url: string;
  readonly api: 'openai' | 'tei' | 'embed-svc';
  readonly apiKey: string | undefined;
  readonly maxBatch: number;
  readonly timeoutMs: number;
}

interface Dialect {
  readonly path: string;
  body(texts: readonly string[], model: string): unknown;
  vectors(answer: unknown): unknown;
}

const dialects: Readonly<Record<HttpEmbedderOptions['api'], Dialect>> = {
  openai: {
    path: '/embeddings',
    body: (input, model) => ({ model, input, encoding_format: 'float' }),
    vectors: (answer) => {
      const data = (answer as { data?: { index?: number; embedding?: unknown }[] }).data ?? [];
      return data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)).map(({ embedding }) => embedding);
    },
  },
  tei: { path: '/embed', body: (inputs) => ({ inputs, truncate: true }), vectors: (answer) => answer },
  'embed-svc': {
    path: '/embed',
    body: (texts, model) => ({ texts, model }),
    vectors: (answer) => (answer as { embeddings?: unknown }).embeddings,
  },
};

export class HttpEmbedder implements Embedder {
  readonly facts: ModelFacts;
  readonly #options: HttpEmbedderOptions;
  #batch: number;
  #tokenizer: WordPiece | undefined;

  constructor(facts: ModelFacts, options: HttpEmbedderOptions) {
    this.facts = facts;
    this.#options = options;
    this.#batch = options.maxBatch;
  }

  /** The service has its own tokenizer; the one of BERT is what most embedding models share. */
  countTokens(text: string): number {
    this.#tokenizer ??= readTokenizer(embeddedFolder);
    return this.#tokenizer.count(text);
  }

  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    while (vectors.length < texts.length) {
      const some = texts.slice(vectors.length, vectors.length + this.#batch);
      try {
        vectors.push(...(await this.#ask(some, signal)));
        this.#batch = Math.min(this.#options.maxBatch, Math.ceil(this.#batch * 1.5));
      } catch (error) {
        if (!(error instanceof TooMuch) || some.length === 1) throw error instanceof TooMuch ? error.cause : error;
        this.#batch = Math.ceil(some.length / 2);
      }
    }
    return vectors;
  }

  async runtime(): Promise<string> {
    return `${this.#options.api} at ${new URL(this.#options.url).host}`;
  }

  close(): void {}

  async #ask(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const dialect = dialects[this.#options.api];
    const late = AbortSignal.timeout(this.#options.timeoutMs);
    let response: Response;
    let answer: unknown;
    try {
      response = await fetch(`${this.#options.url.replace(/\/+$/, '')}${dialect.path}`, {
        method: 'POST',
        redirect: 'error',
        headers: {
          'content-type': 'application/json',
          ...(this.#options.apiKey === undefined ? {} : { authorization: `Bearer ${this.#options.apiKey}` }),
        },
        body: JSON.stringify(dialect.body(texts, this.facts.name)),
        signal: signal === undefined ? late : AbortSignal.any([signal, late]),
      });
      answer = response.ok ? await response.json() : undefined;
    } catch (error) {
      signal?.throwIfAborted();
      const failed = new MillraceError(
        'embedding_provider_failed',
        { reason: late.aborted ? 'it did not answer in time' : 'it cannot be reached' },
        { cause: error },
      );
      throw late.aborted ? new TooMuch(failed) : failed;
    }
    if (!response.ok) throw refusal(response);
    return this.#check(dialect.vectors(answer), texts.length);
  }

  #check(vectors: unknown, expected: number): Float32Array[] {
    const { dims } = this.facts;
    const isVector = (vector: unknown): vector is number[] =>
      Array.isArray(vector) &&
      vector.length === dims &&
      vector.every((value) => typeof value === 'number' && Number.isFinite(value));
    if (!Array.isArray(vectors) || vectors.length !== expected)
      throw new MillraceError('embedding_provider_failed', { reason: `it answered without ${expected} vectors` });
    if (!vectors.every(isVector))
      throw new MillraceError('embedding_provider_refused', { reason: `its vectors do not have ${dims} dimensions` });
    return vectors.map((vector) => toUnitLength(Float32Array.from(vector)));
  }
}

/** The request, not the provider, is at fault: a smaller one may pass. */
class TooMuch extends Error {
  constructor(override readonly cause: MillraceError) {
    super(cause.message);
  }
}

function refusal(response: Response): Error {
  const { status } = response;
  const reason = `HTTP ${status}`;
  const waitMs = askedWaitMs(Object.fromEntries(response.headers));
  const wait = waitMs === undefined ? {} : { retryAfterMs: waitMs };
  if (status === 413) return new TooMuch(new MillraceError('embedding_provider_refused', { reason }));
  if (status === 408 || status === 429 || status >= 500)
    return new MillraceError('embedding_provider_failed', { reason }, wait);
  return new MillraceError('embedding_provider_refused', { reason });
}
