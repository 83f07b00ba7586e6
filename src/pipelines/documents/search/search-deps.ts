// What search and answers are made with.
import type { Embedder } from '../embedding/embedder.ts';
import { QuestionEmbedders } from './embed-question.ts';
import type { Writer } from './llm/language-model.ts';
import type { RerankOptions } from './rerank.ts';
import { type Tuning, tuning } from './tuning.ts';
import { openVectorIndex, type VectorIndex } from './vector-index.ts';

export interface SearchDeps {
  readonly questions: QuestionEmbedders;
  readonly index: VectorIndex;
  readonly tuning: Tuning;
  /** How long the database may take for one statement of a search. */
  readonly statementTimeoutMs: number;
  /** Left out: answers are quoted. */
  readonly writer?: Writer;
  /** Left out: nobody is asked for a second opinion. */
  readonly rerank?: RerankOptions;
}

export interface SearchOptions extends Pick<SearchDeps, 'writer' | 'rerank'> {
  readonly embedTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
}

const EMBED_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;

/** `others`: further models of the installation, for tenants that are asked with one of them. */
export function openSearch(
  embedder: Embedder,
  { embedTimeoutMs = EMBED_TIMEOUT_MS, statementTimeoutMs = STATEMENT_TIMEOUT_MS, ...more }: SearchOptions = {},
  others: readonly Embedder[] = [],
): SearchDeps {
  return {
    questions: new QuestionEmbedders([embedder, ...others], embedTimeoutMs),
    index: openVectorIndex(),
    tuning,
    statementTimeoutMs,
    ...more,
  };
}
