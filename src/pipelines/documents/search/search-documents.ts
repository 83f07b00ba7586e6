// One search, from the words of a person to chunks with page, boxes, scores and why.

import { inTenant } from '../../../access/tenant-session.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { Pool } from '../../../platform/database.ts';
import { type FoundChunk, readActiveModel, readFound } from '../sql/read-found.ts';
import type { SearchFilter } from '../sql/search-filter.ts';
import type { EmbeddedQuestion, QuestionEmbedder } from './embed-question.ts';
import { highlightsOf } from './highlight.ts';
import { type ParsedQuery, parseQuery } from './parse-query.ts';
import { type Reranked, rerank, withRerank } from './rerank.ts';
import { type RankedChunk, type Retrieval, retrieve, type SearchMode } from './retrieve.ts';
import { sayWhy } from './say-why.ts';
import type { SearchDeps } from './search-deps.ts';
import type { Hit, Why } from './shapes.ts';
import { Stopwatch } from './stopwatch.ts';

export interface SearchRequest {
  readonly tenantId: string;
  readonly query: string;
  readonly filter: SearchFilter;
  readonly mode: SearchMode;
  readonly limit: number;
  readonly group: 'none' | 'document';
}

export interface Found {
  readonly query: ParsedQuery;
  readonly hits: Hit[];
  /** Beside the hits, in their order: with what answers are made from. */
  readonly chunks: readonly { readonly ranked: RankedChunk; readonly found: FoundChunk }[];
  readonly retrieval: Retrieval;
  readonly vector: Float32Array | undefined;
  /** What the question was embedded with. */
  readonly questions: QuestionEmbedder | undefined;
  readonly why: Why;
}

export async function searchDocuments(
  pool: Pool,
  deps: SearchDeps,
  request: SearchRequest,
  watch: Stopwatch = new Stopwatch(),
  isAgain = false,
): Promise<Found> {
  const query = parseQuery(request.query);
  if (query === undefined) throw new MillraceError('question_empty');
  const asksVectors = request.mode !== 'lexical' && query.text !== '';
  const modelId = asksVectors ? await modelOf(pool, deps, request) : undefined;
  const questions = asksVectors ? deps.questions.of(modelId) : undefined;
  const embedded = asksVectors ? await watch.time('embed', () => embedWith(questions, query.text)) : undefined;
  const vector = embedded?.kind === 'vector' ? embedded : undefined;
  // Of a document several chunks may be found: enough of them that grouping still fills the list.
  const wanted = request.limit * (request.group === 'document' ? 3 : 1);
  const tuning = { ...deps.tuning, candidates: Math.max(deps.tuning.candidates, wanted) };
  const { retrieval, chunks } = await inTenant(
    pool,
    request.tenantId,
    async (db) => {
      const retrieval = await retrieve(db, deps.index, { ...request, query, embedded: vector }, tuning, watch);
      const limit = deps.rerank === undefined ? request.limit : Math.max(request.limit, RERANKED);
      const chosen = choose(retrieval.ranked, { ...request, limit });
      const rows = await watch.time('read', () =>
        readFound(
          db,
          request.tenantId,
          chosen.map(({ chunkId }) => chunkId),
        ),
      );
      const byId = new Map(rows.map((row) => [row.chunk_id, row]));
      const chunks = chosen.flatMap((ranked) => {
        const found = byId.get(ranked.chunkId);
        return found === undefined ? [] : [{ ranked, found }];
      });
      return { retrieval, chunks };
    },
    { readOnly: true, isolation: 'repeatable read', settings: settingsOf(deps) },
  );
  // Another model is active than the one that was remembered: the question is asked once more, with that one.
  const active = retrieval.activeModel?.modelId;
  if (asksVectors && active !== undefined) {
    deps.questions.remember(request.tenantId, active);
    if (active !== (questions?.modelId ?? modelId) && !isAgain)
      return searchDocuments(pool, deps, request, watch, true);
  }
  const words = retrieval.terms.words
    .filter(({ isCommon }) => !isCommon)
    .flatMap(({ word, readAs }) => [word, ...(readAs === null ? [] : [readAs])]);
  const hits = chunks.map(({ ranked, found }, at) =>
    viewHit(at + 1, ranked, found, words, request.group === 'document' ? alsoOf(retrieval.ranked, ranked) : []),
  );
  const ordered = await reorder(deps, query.text, hits, chunks, watch);
  const why = sayWhy(query, retrieval, request.mode, embedded, watch);
  return {
    query,
    hits: ordered.hits.slice(0, request.limit),
    chunks: ordered.chunks.slice(0, request.limit),
    retrieval,
    vector: vector?.vector,
    questions,
    why: { ...why, rerank: ordered.rerank, said: [...why.said, ...ordered.said] },
  };
}

/** Chunks that a second opinion sees. */
const RERANKED = 50;

interface Ordered<T> {
  readonly hits: Hit[];
  readonly chunks: readonly T[];
  readonly rerank: Why['rerank'];
  readonly said: readonly string[];
}

async function reorder<T>(
  deps: SearchDeps,
  query: string,
  hits: Hit[],
  chunks: readonly T[],
  watch: Stopwatch,
): Promise<Ordered<T>> {
  const { rerank: options } = deps;
  if (options === undefined || hits.length < 2) return { hits, chunks, rerank: 'off', said: [] };
  const texts = hits.map(({ title, text }) => `${title}\n${text}`);
  const opinion: Reranked = await watch.time('rerank', () => rerank(options, query, texts));
  if (opinion.kind === 'failed')
    return { hits, chunks, rerank: 'failed', said: [`The rerank service could not be used (${opinion.reason}).`] };
  return {
    hits: opinion.order.flatMap(({ index, score }, at) => {
      const hit = hits[index];
      return hit === undefined ? [] : [withRerank(hit, at + 1, score)];
    }),
    chunks: opinion.order.flatMap(({ index }) => chunks.slice(index, index + 1)),
    rerank: 'used',
    said: [],
  };
}

/** A search that takes too long ends, and no plan reads whole tables, whatever the statistics say. */
function settingsOf({ statementTimeoutMs }: SearchDeps): Record<string, string> {
  return {
    statement_timeout: String(statementTimeoutMs),
    enable_seqscan: 'off',
    jit: 'off',
    enable_bitmapscan: 'on',
  };
}

/** The only one there is, or that was active when the tenant last searched: the search itself sees whether it still is. */
async function modelOf(pool: Pool, deps: SearchDeps, { tenantId }: SearchRequest): Promise<string | undefined> {
  const known = deps.questions.likely(tenantId);
  if (known !== undefined) return known;
  return (await inTenant(pool, tenantId, (db) => readActiveModel(db, tenantId), { readOnly: true }))?.model_id;
}

async function embedWith(questions: QuestionEmbedder | undefined, text: string): Promise<EmbeddedQuestion> {
  if (questions !== undefined) return questions.embed(text);
  return { kind: 'unavailable', reason: 'the settings do not name the model of this tenant any more' };
}

/** The best, or the best of each document. */
function choose(ranked: readonly RankedChunk[], { limit, group }: SearchRequest): RankedChunk[] {
  if (group === 'none') return ranked.slice(0, limit);
  const seen = new Set<string>();
  return ranked.filter(({ versionId }) => !seen.has(versionId) && seen.add(versionId) !== undefined).slice(0, limit);
}

const ALSO = 5;

function alsoOf(ranked: readonly RankedChunk[], best: RankedChunk): RankedChunk[] {
  return ranked.filter((each) => each.versionId === best.versionId && each.chunkId !== best.chunkId).slice(0, ALSO);
}

function viewHit(
  rank: number,
  ranked: RankedChunk,
  found: FoundChunk,
  words: readonly string[],
  also: readonly RankedChunk[],
): Hit {
  const passage = found.passages.find(({ passage_no: number }) => number === ranked.bestPassage);
  return {
    rank,
    chunk_id: found.chunk_id,
    doc_id: found.doc_id,
    doc_version_id: found.doc_version_id,
    version: found.version_no,
    title: found.title,
    source_type: found.source_type,
    unit: found.unit,
    page_from: found.page_from,
    page_to: found.page_to,
    page: passage?.page_no ?? found.page_from,
    heading_path: found.heading_path,
    text: found.text,
    boxes: found.boxes,
    highlights: highlightsOf(found.text, words),
    score: round(ranked.score),
    scores: {
      lexical: round(ranked.lexical),
      vector: ranked.vector === undefined ? null : round(ranked.vector),
      document: ranked.document === undefined ? null : round(ranked.document),
      rerank: null,
    },
    ranks: { lexical: ranked.lexicalRank ?? null, vector: ranked.vectorRank ?? null, rerank: null },
    also: also.map(({ chunkId, chunkNo, score }) => ({ chunk_id: chunkId, chunk_no: chunkNo, score: round(score) })),
    why: whyThis(ranked),
  };
}

function whyThis({ lexicalRank, vectorRank }: RankedChunk): string {
  const parts = [
    lexicalRank === undefined ? 'none of the words' : `words: rank ${lexicalRank}`,
    ...(vectorRank === undefined ? [] : [`meaning: rank ${vectorRank}`]),
  ];
  return parts.join(', ');
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
