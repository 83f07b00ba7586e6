// Two models beside each other, on what matters to this tenant: the questions that were asked, those somebody gives, and sentences of its own
// documents (whose chunk each should find again). By vectors alone, so that words do not hide a difference.
import { inTenant } from '../../../access/tenant-session.ts';
import type { AnswerOf } from '../../../contract/api/client.ts';
import type { Pool, Queryable } from '../../../platform/database.ts';
import { sentencesOf, wordCount } from '../chunking/text-measure.ts';
import type { Embedder } from '../embedding/embedder.ts';
import type { VectorIndex } from '../search/vector-index.ts';
import {
  type ChunkPlace,
  listAskedQuestions,
  listProbeChunks,
  type ProbeChunk,
  readChunkPlaces,
} from '../sql/compare-models.ts';
import { noFilter } from '../sql/search-filter.ts';

export type Comparison = AnswerOf<'models.compare'>;

interface Question {
  readonly kind: 'asked' | 'given' | 'probe';
  readonly text: string;
  /** Of a probe: where it was taken from. */
  readonly chunkId?: string;
}

export interface ComparedModels {
  readonly model: Embedder;
  readonly against: Embedder;
}

const TOP = 10;
/** Several passages of one chunk may be among the nearest. */
const NEAREST = 60;
const MOST_ASKED = 50;
const MOST_PROBES = 30;
const SHOWN = 10;
const WITHIN_MS = 60_000;

export async function compareModels(
  pool: Pool,
  index: VectorIndex,
  tenantId: string,
  { model, against }: ComparedModels,
  given: readonly string[],
): Promise<Comparison> {
  const read = <T>(work: (db: Queryable) => Promise<T>) => inTenant(pool, tenantId, work, { readOnly: true });
  const asked = await read((db) => listAskedQuestions(db, tenantId, MOST_ASKED));
  const probes = (await read((db) => listProbeChunks(db, tenantId, MOST_PROBES * 2))).flatMap(probeOf);
  const questions: Question[] = [
    ...given.map((text) => ({ kind: 'given' as const, text })),
    ...asked.map((text) => ({ kind: 'asked' as const, text })),
    ...probes.slice(0, MOST_PROBES),
  ];
  const texts = questions.map(({ text }) => text);
  const late = AbortSignal.timeout(WITHIN_MS);
  const [ofModel, ofAgainst] = await Promise.all([model.embed(texts, late), against.embed(texts, late)]);
  const lines = await read(async (db) => {
    const top = async (embedder: Embedder, vector: Float32Array | undefined): Promise<string[]> => {
      if (vector === undefined) return [];
      const question = { tenantId, modelId: embedder.facts.modelId, vector, filter: noFilter, chunks: 0 };
      const near = await index.nearest(db, question, NEAREST);
      return [...new Set(near.map(({ chunkId }) => chunkId))].slice(0, TOP);
    };
    const compared = [];
    for (const [at, question] of questions.entries())
      compared.push({
        question,
        mine: await top(model, ofModel[at]),
        theirs: await top(against, ofAgainst[at]),
      });
    return compared;
  });
  const scored = lines.map((line) => ({ ...line, overlap: overlapOf(line.mine, line.theirs) }));
  const worst = scored
    .filter(({ overlap }) => overlap < 1)
    .sort((a, b) => a.overlap - b.overlap)
    .slice(0, SHOWN);
  const shown = [...new Set(worst.flatMap(({ mine, theirs }) => [...mine, ...theirs]))];
  const places = await read((db) => readChunkPlaces(db, tenantId, shown));
  const only = (own: readonly string[], other: readonly string[]): ChunkPlace[] =>
    own.filter((id) => !other.includes(id)).flatMap((id) => places.get(id) ?? []);
  const found = scored.filter(({ question }) => question.kind === 'probe');
  const findsIn = (of: 'mine' | 'theirs') =>
    found.filter((line) => line.question.chunkId !== undefined && line[of].includes(line.question.chunkId)).length;
  return {
    model_id: model.facts.modelId,
    against: against.facts.modelId,
    overlap_at_10: meanOf(scored.map(({ overlap }) => overlap)),
    by_kind: (['asked', 'given', 'probe'] as const).map((kind) => {
      const own = scored.filter(({ question }) => question.kind === kind);
      return { kind, questions: own.length, overlap_at_10: meanOf(own.map(({ overlap }) => overlap)) };
    }),
    probes: { count: found.length, found_by_model: findsIn('mine'), found_by_against: findsIn('theirs') },
    disagreements: worst.map(({ question, mine, theirs, overlap }) => ({
      kind: question.kind,
      question: question.text,
      overlap_at_10: overlap,
      only_model: only(mine, theirs),
      only_against: only(theirs, mine),
    })),
  };
}

/** The share of the ten that both found. Where both found nothing they agree. */
function overlapOf(a: readonly string[], b: readonly string[]): number {
  const most = Math.max(a.length, b.length);
  return most === 0 ? 1 : a.filter((id) => b.includes(id)).length / most;
}

function meanOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 1_000) / 1_000;
}

/** A sentence long enough to mean something, the first of its chunk. */
function probeOf({ chunk_id: chunkId, text }: ProbeChunk): Question[] {
  const sentences = sentencesOf(text).map(({ start, end }) => text.slice(start, end).trim());
  const sentence = sentences.find((each) => wordCount(each) >= 6 && wordCount(each) <= 40);
  return sentence === undefined ? [] : [{ kind: 'probe', text: sentence, chunkId }];
}
