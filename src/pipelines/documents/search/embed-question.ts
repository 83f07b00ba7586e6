// A question as a vector, within a time limit. A provider that is down or silent costs one question its limit; for a while after that
// questions are asked by their words alone, so that not each of them waits again.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { Embedder } from '../embedding/embedder.ts';

export type EmbeddedQuestion =
  | { readonly kind: 'vector'; readonly modelId: string; readonly vector: Float32Array }
  | { readonly kind: 'unavailable'; readonly reason: string; readonly error?: unknown };

const KEPT = 2_000;
const REST_MS = 15_000;
const MOST_UNKNOWN = 0.5;
/** The first question after a start waits for the model; one that does not come up is not waited for without end. */
const LOAD_MS = 30_000;

export class QuestionEmbedder {
  readonly #embedder: Embedder;
  readonly timeoutMs: number;
  readonly #kept = new Map<string, Float32Array>();
  #restUntil = 0;

  constructor(embedder: Embedder, timeoutMs: number) {
    this.#embedder = embedder;
    this.timeoutMs = timeoutMs;
  }

  get modelId(): string {
    return this.#embedder.facts.modelId;
  }

  async embed(text: string): Promise<EmbeddedQuestion> {
    // Texts of unknown characters are all alike to a model, whatever they say.
    if ((this.#embedder.unknownShare?.(text) ?? 0) > MOST_UNKNOWN)
      return { kind: 'unavailable', reason: 'its model does not know most of the characters of the question' };
    const result = await this.embedAll([text]);
    if (result.kind === 'unavailable') return result;
    const [vector] = result.vectors;
    return vector === undefined
      ? { kind: 'unavailable', reason: 'it answered without a vector' }
      : { kind: 'vector', modelId: this.modelId, vector };
  }

  /** What was embedded before is not embedded again: sentences of the same evidence come back with every question about it. */
  async embedAll(
    texts: readonly string[],
  ): Promise<{ kind: 'vectors'; vectors: Float32Array[] } | Extract<EmbeddedQuestion, { kind: 'unavailable' }>> {
    const missing = [...new Set(texts.filter((text) => !this.#kept.has(text)))];
    if (missing.length > 0) {
      if (performance.now() < this.#restUntil) return { kind: 'unavailable', reason: 'it did not answer a moment ago' };
      try {
        const vectors = checked(await this.#within(missing), missing.length, this.#embedder.facts.dims);
        for (const [at, vector] of vectors.entries()) this.#keep(missing[at] ?? '', vector);
      } catch (error) {
        this.#restUntil = performance.now() + REST_MS;
        const reason = error instanceof MillraceError ? String(error.params.reason ?? error.code) : 'it failed';
        return { kind: 'unavailable', reason, error };
      }
    }
    return { kind: 'vectors', vectors: texts.map((text) => this.#kept.get(text) ?? new Float32Array()) };
  }

  /** Loading a model has a limit of its own: what a question may take begins when the model is there. */
  async #within(texts: readonly string[]): Promise<Float32Array[]> {
    const { load } = this.#embedder;
    if (load !== undefined)
      await inTime(Math.max(LOAD_MS, this.timeoutMs), 'its model is still being loaded', () =>
        load.call(this.#embedder),
      );
    return inTime(this.timeoutMs, 'it did not answer in time', (late) => this.#embedder.embed(texts, late, true));
  }

  #keep(text: string, vector: Float32Array): void {
    if (this.#kept.size >= KEPT) {
      const [oldest] = this.#kept.keys();
      if (oldest !== undefined) this.#kept.delete(oldest);
    }
    this.#kept.set(text, vector);
  }
}

/** One vector for each text, of the model's dimensions, of numbers: anything else would be compared silently. */
function checked(vectors: readonly Float32Array[], count: number, dims: number): readonly Float32Array[] {
  const isWhole = (vector: Float32Array) => vector.length === dims && vector.every(Number.isFinite);
  if (!Array.isArray(vectors) || vectors.length !== count || !vectors.every(isWhole))
    throw new MillraceError('embedding_provider_failed', { reason: 'its answer is not one vector for each text' });
  return vectors;
}

/** Providers hear the signal; one that does not is left behind all the same. */
function inTime<T>(limitMs: number, reason: string, work: (late: AbortSignal) => Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(limitMs);
  return new Promise<T>((resolve, reject) => {
    late.addEventListener('abort', () => reject(new MillraceError('embedding_provider_failed', { reason })), {
      once: true,
    });
    work(late).then(resolve, reject);
  });
}

/** One for each model of the installation: a tenant's questions are asked with its active one. */
export class QuestionEmbedders {
  readonly #all: readonly QuestionEmbedder[];
  /** By tenant, the model that was active when it last searched. */
  readonly #models = new Map<string, string>();

  constructor(embedders: readonly Embedder[], timeoutMs: number) {
    this.#all = embedders.map((embedder) => new QuestionEmbedder(embedder, timeoutMs));
  }

  /** The first one for a tenant that has no model yet. Undefined: the settings do not name its model any more. */
  of(modelId: string | undefined): QuestionEmbedder | undefined {
    return modelId === undefined ? this.#all[0] : this.#all.find((each) => each.modelId === modelId);
  }

  /** What a tenant is likely asked with, without a look: the search itself sees whether it is. Undefined: there are several to choose from. */
  likely(tenantId: string): string | undefined {
    return this.#models.get(tenantId) ?? (this.#all.length === 1 ? this.#all[0]?.modelId : undefined);
  }

  remember(tenantId: string, modelId: string): void {
    if (this.#models.size >= KEPT && !this.#models.has(tenantId)) this.#models.clear();
    this.#models.set(tenantId, modelId);
  }
}
