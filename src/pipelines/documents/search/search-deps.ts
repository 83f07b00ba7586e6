// What search and answers are made with.
import type { Embedder } from '../embedding/embedder.ts';
import { QuestionEmbedder } from './embed-question.ts';
import type { Tuning } from './tuning.ts';
import { tuning } from './tuning.ts';
import { bitIndex, type VectorIndex } from './vector-index.ts';

export interface SearchDeps {
  readonly questions: QuestionEmbedder;
  readonly index: VectorIndex;
  readonly tuning: Tuning;
  /** How long the database may take for a search. */
  readonly statementTimeoutMs: number;
}

export interface SearchLimits {
  readonly embedTimeoutMs: number;
  readonly statementTimeoutMs: number;
}

export const defaultSearchLimits: SearchLimits = { embedTimeoutMs: 5_000, statementTimeoutMs: 10_000 };

export function openSearch(embedder: Embedder, limits: SearchLimits = defaultSearchLimits): SearchDeps {
  return {
    questions: new QuestionEmbedder(embedder, limits.embedTimeoutMs),
    index: bitIndex,
    tuning,
    statementTimeoutMs: limits.statementTimeoutMs,
  };
}
