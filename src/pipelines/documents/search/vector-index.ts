// How the nearest passages of a tenant are found. The way without an extension stands here: signs by Hamming distance, then the floats of
// the best few hundred scored exactly. Another way (pgvector) answers the same question with the same shape.
import type { Queryable } from '../../../platform/database.ts';
import { signBits, vectorOf } from '../embedding/embedder.ts';
import { findByBits, type PassageVectors, readChunkVectors, readVectors } from '../sql/find-by-bits.ts';
import type { SearchFilter } from '../sql/search-filter.ts';

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
}

export interface VectorIndex {
  /** For `why`. */
  readonly name: string;
  /** The nearest first, exact scores. */
  nearest(db: Queryable, question: VectorQuestion, limit: number): Promise<NearPassage[]>;
  /** Exact scores of all passages of these chunks. */
  score(db: Queryable, question: VectorQuestion, chunkIds: readonly string[]): Promise<NearPassage[]>;
}

/** With 200 of them one in thirty of the ten nearest was missed, with 400 one in two hundred. */
const MIN_CANDIDATES = 400;

export const bitIndex: VectorIndex = {
  name: 'bits and exact scores',
  async nearest(db, question, limit) {
    const keys = await findByBits(
      db,
      question,
      signBits(question.vector),
      question.filter,
      Math.max(MIN_CANDIDATES, limit),
    );
    const scored = scoreAll(question.vector, await readVectors(db, question, keys));
    return scored.sort((a, b) => b.score - a.score).slice(0, limit);
  },
  async score(db, question, chunkIds) {
    return scoreAll(question.vector, await readChunkVectors(db, question, chunkIds));
  },
};

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
