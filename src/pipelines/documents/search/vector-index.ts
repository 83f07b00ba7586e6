// How the nearest passages of a tenant are found: the nearest signs by Hamming distance, the best of them by the numbers of the question, then the
// floats of a few hundred scored exactly. The signs of a tenant are all compared, or, where it has very many and the server has pgvector, found by
// an index.
import type { Queryable } from '../../../platform/database.ts';
import { vectorOf } from '../embedding/embedder.ts';
import { findByBits, type PassageVectors, readChunkVectors } from '../sql/find-by-bits.ts';
import { findByIndex, hasIndex } from '../sql/find-by-index.ts';
import { isFiltering, type SearchFilter } from '../sql/search-filter.ts';
import { questionBits } from './question-bits.ts';

export interface NearPassage {
  readonly chunkId: string;
  readonly passageNo: number;
  /** Cosine with the question. */
  readonly score: number;
}

export interface VectorQuestion {
  readonly tenantId: string;
  readonly modelId: string;
  readonly vector: Float32Array;
  readonly filter: SearchFilter;
  /** Of the tenant, all that is served. */
  readonly chunks: number;
}

export interface VectorIndex {
  /** For `why`. */
  readonly name: string;
  /** The nearest first, exact scores. */
  nearest(db: Queryable, question: VectorQuestion, limit: number): Promise<NearPassage[]>;
  /** Exact scores of all passages of these chunks. */
  score(db: Queryable, question: VectorQuestion, chunkIds: readonly string[]): Promise<NearPassage[]>;
}

/** Of 200,000, the signs alone have one in twenty of the ten nearest behind the first 400, and almost none behind 2,000 (docs/decisions/0550). */
const MET = 2_000;
/** By the index: as many as one of its scans brings. Of these, one more in two hundred is missed. */
const MET_BY_INDEX = 1_000;
const MIN_READ = 400;

/** A tenant with fewer is compared whole: that is exact, and no slower. */
const INDEX_FROM = 20_000;

/** Every signature of the tenant is compared. */
export const bitIndex: VectorIndex = {
  name: 'bits and exact scores',
  async nearest(db, question, limit) {
    const found = await findByBits(db, question, questionBits(question.vector), question.filter, howMany(MET, limit));
    return nearestOf(question, found, limit);
  },
  score: scoreChunks,
};

/** By the index of the model where there is one and it pays; the same way as without in every other case. */
export function openVectorIndex(from = INDEX_FROM): VectorIndex {
  const known = new KnownIndexes();
  return {
    name: 'bits by index and exact scores',
    async nearest(db, question, limit) {
      const isLarge = question.chunks >= from && !isFiltering(question.filter);
      if (!isLarge || !(await known.has(db, question.modelId))) return bitIndex.nearest(db, question, limit);
      const of = { ...question, dims: question.vector.length };
      const wanted = howMany(MET_BY_INDEX, limit);
      const found = await findByIndex(db, of, questionBits(question.vector), wanted);
      // A scan that met too few rows of this tenant is no answer.
      if (found.met < wanted.met) return bitIndex.nearest(db, question, limit);
      return nearestOf(question, found, limit);
    },
    score: scoreChunks,
  };
}

const howMany = (met: number, limit: number) => ({ met: Math.max(met, limit), read: Math.max(MIN_READ, limit) });

const LOOKED_FOR_EVERY_MS = 60_000;

/** Whether a model has an index changes rarely: it is looked up now and then, not with every question. */
class KnownIndexes {
  readonly #known = new Map<string, { readonly has: boolean; readonly until: number }>();

  async has(db: Queryable, modelId: string): Promise<boolean> {
    const known = this.#known.get(modelId);
    if (known !== undefined && known.until > performance.now()) return known.has;
    const has = await hasIndex(db, modelId);
    this.#known.set(modelId, { has, until: performance.now() + LOOKED_FOR_EVERY_MS });
    return has;
  }
}

function nearestOf(question: VectorQuestion, found: PassageVectors, limit: number): NearPassage[] {
  return scoreAll(question.vector, found)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}

async function scoreChunks(
  db: Queryable,
  question: VectorQuestion,
  chunkIds: readonly string[],
): Promise<NearPassage[]> {
  return scoreAll(question.vector, await readChunkVectors(db, question, chunkIds));
}

function scoreAll(vector: Float32Array, { chunkIds, passageNos, floats }: PassageVectors): NearPassage[] {
  const size = vector.length * 4;
  return chunkIds.map((chunkId, at) => ({
    chunkId,
    passageNo: passageNos[at] ?? 0,
    score: dot(vector, floats, at * size),
  }));
}

function dot(vector: Float32Array, floats: Buffer, from: number): number {
  // A buffer of Node may begin anywhere; floats are read in place only where they are aligned.
  const at = floats.byteOffset + from;
  const other =
    at % 4 === 0
      ? new Float32Array(floats.buffer, at, vector.length)
      : vectorOf(floats.subarray(from, from + vector.length * 4));
  let sum = 0;
  for (let index = 0; index < vector.length; index++) sum += (vector[index] ?? 0) * (other[index] ?? 0);
  return sum;
}
