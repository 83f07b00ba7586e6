// Retrieval: words by BM25 and passages by vectors, fused; what a phrase or -word forbids taken out. One read-only transaction sees one
// moment: what was deactivated before it is not there.
import type { Queryable } from '../../../platform/database.ts';
import { searchableText } from '../language.ts';
import { findPhrase } from '../sql/find-phrase.ts';
import {
  findLexicalCandidates,
  type Lengths,
  type LexicalCandidate,
  type ScoredChunk,
  scoreChunks,
} from '../sql/rank-lexical.ts';
import { keepMatching } from '../sql/read-found.ts';
import { countPassing, readSearchable, type Searchable, type Searched } from '../sql/read-searched.ts';
import { isFiltering, type SearchFilter } from '../sql/search-filter.ts';
import { fusionOf } from './fuse.ts';
import type { ParsedQuery } from './parse-query.ts';
import { type QueryTerms, queryTerms } from './query-terms.ts';
import type { Stopwatch } from './stopwatch.ts';
import type { Tuning } from './tuning.ts';
import type { VectorIndex } from './vector-index.ts';

export type SearchMode = 'hybrid' | 'lexical' | 'vector';

export interface RetrievalRequest {
  readonly tenantId: string;
  readonly query: ParsedQuery;
  readonly filter: SearchFilter;
  readonly mode: SearchMode;
  /** The question as a vector of this model; undefined with the reason why there is none. */
  readonly embedded: { readonly modelId: string; readonly vector: Float32Array } | undefined;
}

export interface RankedChunk {
  readonly chunkId: string;
  readonly versionId: string;
  readonly chunkNo: number;
  readonly score: number;
  readonly lexical: number;
  /** What each term added. */
  readonly parts: readonly number[];
  readonly vector: number | undefined;
  readonly bestPassage: number | undefined;
  readonly document: number | undefined;
  readonly lexicalRank: number | undefined;
  readonly vectorRank: number | undefined;
}

export interface Retrieval {
  readonly ranked: readonly RankedChunk[];
  readonly terms: QueryTerms;
  /** All that is served: what the weights of words come from. */
  readonly served: Searchable;
  /** What was searched: of what is served, what the filters leave. */
  readonly searched: Pick<Searched, 'documents' | 'chunks'>;
  readonly mode: SearchMode;
  readonly activeModel: { readonly modelId: string; readonly abstainBelow: number | null } | undefined;
  readonly candidates: { readonly lexical: number; readonly vector: number; readonly dropped: number };
}

const NEAREST = 400;
const MOST_WITH_PHRASE = 500;

export async function retrieve(
  db: Queryable,
  index: VectorIndex,
  request: RetrievalRequest,
  tuning: Tuning,
  watch: Stopwatch,
): Promise<Retrieval> {
  const { tenantId, query, filter, embedded } = request;
  const served = await watch.time('count', () => readSearchable(db, tenantId));
  const searched = isFiltering(filter) ? await watch.time('count', () => countPassing(db, tenantId, filter)) : served;
  const activeModel = served.model
    ? { modelId: served.model.model_id, abstainBelow: served.model.abstain_below }
    : undefined;
  const hasVector = embedded !== undefined && activeModel?.modelId === embedded.modelId && request.mode !== 'lexical';
  const terms = await watch.time('words', () => queryTerms(db, tenantId, query.words, served));
  const mode: SearchMode = !hasVector ? 'lexical' : terms.terms.length === 0 ? 'vector' : request.mode;

  const lengths: Lengths = {
    average: served.chunks === 0 ? 1 : served.length / served.chunks,
    k1: tuning.k1,
    b: tuning.b,
    headWeight: tuning.headWeight,
  };
  const byWords =
    mode === 'vector' ? [] : await watch.time('lexical', () => findByWords(db, request, terms, lengths, tuning));
  const question = hasVector
    ? { tenantId, modelId: embedded.modelId, vector: embedded.vector, filter, chunks: served.chunks }
    : undefined;
  const near = question === undefined ? [] : await watch.time('vector', () => index.nearest(db, question, NEAREST));
  const nearest = bestByChunk(near).slice(0, tuning.candidates);

  const scored = await watch.time('score', () =>
    scoreChunks(db, tenantId, terms.terms, lengths, {
      ids: nearest.map(({ chunkId }) => chunkId),
      numbers: byWords,
    }),
  );
  const known = new Map(near.length === 0 ? [] : bestByChunk(near).map((each) => [each.chunkId, each]));
  if (question !== undefined) {
    const missing = scored.filter(({ chunk_id: id }) => !known.has(id)).map(({ chunk_id: id }) => id);
    const rest = await watch.time('rescore', () => index.score(db, question, missing));
    for (const each of bestByChunk(rest)) known.set(each.chunkId, each);
  }
  const kept = await matching(db, tenantId, query, scored);
  const fromWords = new Set(byWords.map((each) => `${each.doc_version_id}:${each.chunk_no}`));
  const fromVectors = new Set(nearest.map(({ chunkId }) => chunkId));
  const candidates = scored.filter(
    (chunk) => fromVectors.has(chunk.chunk_id) || fromWords.has(`${chunk.doc_version_id}:${chunk.chunk_no}`),
  );
  const ranked = rank(candidates, scored, known, kept, mode, tuning);
  return {
    ranked,
    terms,
    served,
    searched,
    mode,
    activeModel,
    candidates: {
      lexical: byWords.length,
      vector: nearest.length,
      dropped: candidates.filter(({ chunk_id: id }) => !kept.has(id)).length,
    },
  };
}

/** More of them where some are taken out again. */
async function findByWords(
  db: Queryable,
  { tenantId, query, filter }: RetrievalRequest,
  terms: QueryTerms,
  lengths: Lengths,
  tuning: Tuning,
): Promise<LexicalCandidate[]> {
  const [rarestInPhrase] = terms.words
    .filter(({ word }) => query.phrases.some((phrase) => searchableText(phrase).split(/\s+/).includes(word)))
    .flatMap((word) => word.terms.map((at) => terms.terms[at]))
    .filter((term) => term !== undefined)
    .sort((a, b) => a.versions - b.versions);
  if (rarestInPhrase !== undefined)
    return findPhrase(db, tenantId, rarestInPhrase.term, query.phrases.map(searchableText), filter, MOST_WITH_PHRASE);
  const drivers = rarest(terms, tuning.candidateVersions);
  if (drivers.length === 0) return [];
  const limit = tuning.candidates * (query.excluded.length > 0 ? 4 : 1);
  return findLexicalCandidates(db, tenantId, drivers, lengths, filter, limit);
}

/** The rarest first, until they bring enough; at least one. */
function rarest({ terms }: QueryTerms, enough: number): QueryTerms['terms'] {
  const drivers: QueryTerms['terms'] = [];
  let versions = 0;
  for (const term of terms.toSorted((a, b) => a.versions - b.versions)) {
    if (drivers.length > 0 && versions + term.versions > enough) break;
    drivers.push(term);
    versions += term.versions;
  }
  return drivers;
}

interface Near {
  readonly chunkId: string;
  readonly passageNo: number;
  readonly score: number;
}

function bestByChunk(passages: readonly Near[]): Near[] {
  const best = new Map<string, Near>();
  for (const passage of passages) {
    const known = best.get(passage.chunkId);
    if (known === undefined || known.score < passage.score) best.set(passage.chunkId, passage);
  }
  return [...best.values()].sort((a, b) => b.score - a.score);
}

async function matching(
  db: Queryable,
  tenantId: string,
  { phrases, excluded }: ParsedQuery,
  scored: readonly ScoredChunk[],
): Promise<Set<string>> {
  const ids = scored.map(({ chunk_id: id }) => id);
  if (phrases.length === 0 && excluded.length === 0) return new Set(ids);
  return keepMatching(db, tenantId, ids, {
    phrases: phrases.map(searchableText),
    excluded: excluded.map(searchableText),
  });
}

function rank(
  candidates: readonly ScoredChunk[],
  scored: readonly ScoredChunk[],
  vectors: ReadonlyMap<string, Near>,
  kept: ReadonlySet<string>,
  mode: SearchMode,
  tuning: Tuning,
): RankedChunk[] {
  const usable = (chunk: ScoredChunk) => ({
    chunk,
    lexical: chunk.parts.reduce((sum, part) => sum + part, 0),
    vector: vectors.get(chunk.chunk_id)?.score,
  });
  const all = candidates.map(usable);
  const fusion = fusionOf(all, {
    vectorWeight: tuning.vectorWeight,
    usesLexical: mode !== 'vector',
    usesVector: mode !== 'lexical',
  });
  const first = new Map(
    scored
      .filter(({ chunk_no: number }) => number === 0)
      .map((chunk) => [chunk.doc_version_id, fusion.score(usable(chunk))]),
  );
  const lexicalRanks = ranksBy(
    all.filter(({ lexical }) => lexical > 0),
    ({ lexical }) => lexical,
  );
  const vectorRanks = ranksBy(
    all.filter(({ vector }) => vector !== undefined),
    ({ vector }) => vector ?? 0,
  );
  return all
    .filter(({ chunk }) => kept.has(chunk.chunk_id))
    .map(({ chunk, lexical, vector }): RankedChunk => {
      const document = first.get(chunk.doc_version_id);
      return {
        chunkId: chunk.chunk_id,
        versionId: chunk.doc_version_id,
        chunkNo: chunk.chunk_no,
        score: fusion.score({ lexical, vector }) + tuning.documentWeight * (document ?? 0),
        lexical,
        parts: chunk.parts,
        vector,
        bestPassage: vectors.get(chunk.chunk_id)?.passageNo,
        document,
        lexicalRank: lexicalRanks.get(chunk.chunk_id),
        vectorRank: vectorRanks.get(chunk.chunk_id),
      };
    })
    .sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
}

function ranksBy<T extends { readonly chunk: ScoredChunk }>(
  all: readonly T[],
  by: (each: T) => number,
): Map<string, number> {
  const sorted = all.toSorted((a, b) => by(b) - by(a));
  return new Map(sorted.map(({ chunk }, at) => [chunk.chunk_id, at + 1]));
}
