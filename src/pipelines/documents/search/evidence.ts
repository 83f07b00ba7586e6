// How good the evidence is: the sentence that comes nearest to the question, and how much of what the question asks for stands together in
// one chunk. Both are needed: a sentence can sound alike and speak of something else, and words can stand together by chance.
import { cutSpan, type Span, sentencesOf } from '../chunking/text-measure.ts';
import { highlightsOf } from './highlight.ts';
import type { QueryWord } from './query-terms.ts';
import type { RankedChunk } from './retrieve.ts';
import type { Found } from './search-documents.ts';

export interface EvidenceSentence {
  /** Which of the chunks it stands in. */
  readonly at: number;
  readonly text: string;
  /** In the text of the chunk. */
  readonly start: number;
  readonly end: number;
  readonly page: number;
  /** Cosine with the question; undefined without vectors. */
  readonly near: number | undefined;
  /** Share of the question's words, by their weight. */
  readonly share: number;
  readonly score: number;
}

export interface Evidence {
  readonly sentences: readonly EvidenceSentence[];
  readonly score: number;
  readonly bestShare: number;
  readonly usesVectors: boolean;
  /** What a reader should know of how it was judged. */
  readonly said: readonly string[];
}

/** Chunks whose sentences are looked at. */
const LOOKED_AT = 5;
const MAX_SENTENCES = 40;
/** Compared at once, the likeliest first: a slow model has at least those. */
const AT_ONCE = 8;
const MIN_CHARS = 12;
/** What four ideographs say takes twelve letters. */
const saysEnough = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{4}/u;
const MAX_CHARS = 320;
/** A part between two marks that is shorter stays with the next. */
const MIN_PART = 40;
const SHARE_WEIGHT = 0.5;

export async function judgeEvidence(found: Found): Promise<Evidence> {
  const sentences = candidatesOf(found);
  const { vectors, said } = await compareByMeaning(
    found,
    sentences.map(({ text }) => text),
  );
  const scored = sentences.map((sentence, at): EvidenceSentence => {
    const vector = vectors[at];
    const near = vector === undefined || found.vector === undefined ? undefined : cosine(found.vector, vector);
    const share = shareOf(found, sentence.text);
    return { ...sentence, near, share, score: (near ?? 0) + SHARE_WEIGHT * share };
  });
  const bestShare = Math.max(0, ...found.chunks.slice(0, LOOKED_AT).map(({ ranked }) => chunkShare(found, ranked)));
  const nearest = Math.max(0, ...scored.map(({ near }) => near ?? 0));
  const usesVectors = vectors.length > 0;
  return { sentences: scored, score: nearest + SHARE_WEIGHT * bestShare, bestShare, usesVectors, said };
}

/** Vectors of the first of these texts; of all of them where the provider keeps up. */
async function compareByMeaning(
  { vector, questions }: Found,
  texts: readonly string[],
): Promise<{ vectors: Float32Array[]; said: string[] }> {
  const vectors: Float32Array[] = [];
  if (vector === undefined || questions === undefined) return { vectors, said: [] };
  const until = performance.now() + questions.timeoutMs;
  for (let at = 0; at < texts.length; at += AT_ONCE) {
    const some = texts.slice(at, at + AT_ONCE);
    const isLate = at > 0 && performance.now() > until;
    const embedded = isLate ? undefined : await questions.embedAll(some);
    if (embedded?.kind !== 'vectors') {
      const reason = embedded?.reason ?? 'it is slow';
      const part = at === 0 ? 'No sentence was' : `Only ${at} of ${texts.length} sentences were`;
      return { vectors, said: [`${part} compared with the question by meaning (the embedding provider: ${reason}).`] };
    }
    vectors.push(...embedded.vectors);
  }
  return { vectors, said: [] };
}

/** Of the best passage all sentences, of the rest of the chunk those with a word of the question. */
function candidatesOf(found: Found): Omit<EvidenceSentence, 'near' | 'share' | 'score'>[] {
  const words = found.retrieval.terms.words.filter(({ isCommon }) => !isCommon).map(({ word }) => word);
  const all = found.chunks.slice(0, LOOKED_AT).flatMap(({ ranked, found: chunk }, at) =>
    chunk.passages.flatMap((passage) => {
      const text = chunk.text.slice(passage.char_start, passage.char_end);
      return quotableSpans(text).flatMap(({ start, end }) => {
        const sentence = text.slice(start, end);
        if (sentence.length < MIN_CHARS && !saysEnough.test(sentence)) return [];
        const isBest = ranked.bestPassage === undefined || passage.passage_no === ranked.bestPassage;
        const weight = highlightsOf(sentence, words).length;
        if (!isBest && weight === 0) return [];
        const place = { start: passage.char_start + start, end: passage.char_start + end, page: passage.page_no };
        return [{ at, text: sentence, ...place, weight: weight + (isBest ? 2 : 0) - at / 2 }];
      });
    }),
  );
  return all
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_SENTENCES)
    .map(({ weight: _, ...sentence }) => sentence);
}

/** Sentences; of text that has no capitals to tell them by, what stands between marks; of text without either, pieces of a length. */
export function quotableSpans(text: string): Span[] {
  return sentencesOf(text).flatMap((span) => {
    if (span.end - span.start <= MAX_CHARS) return [span];
    const parts: Span[] = [];
    let { start } = span;
    for (const mark of text.slice(span.start, span.end).matchAll(/[.;:?!]\s+/g)) {
      const end = span.start + mark.index + 1;
      if (end - start < MIN_PART) continue;
      parts.push({ start, end });
      start = span.start + mark.index + mark[0].length;
    }
    if (start < span.end) parts.push({ start, end: span.end });
    return parts.flatMap((part) => cutSpan(text, part, MAX_CHARS));
  });
}

/** By what the index says: stems, not spellings. */
function chunkShare(found: Found, ranked: RankedChunk): number {
  return shareThere(found, ({ terms }) => terms.some((at) => (ranked.parts[at] ?? 0) > 0));
}

function shareOf(found: Found, text: string): number {
  return shareThere(
    found,
    ({ word, readAs }) => highlightsOf(text, [word, ...(readAs === null ? [] : [readAs])]).length > 0,
  );
}

/** Of the words that say something, by their weight. */
function shareThere(found: Found, isThere: (word: QueryWord) => boolean): number {
  const words = found.retrieval.terms.words.filter(({ isCommon }) => !isCommon);
  const whole = words.reduce((sum, { idf }) => sum + idf, 0);
  if (whole === 0) return 0;
  const there = words.map(isThere);
  return words.reduce((sum, { idf }, at) => sum + (there[at] || isBridge(words, there, at) ? idf : 0), 0) / whole;
}

/** A pair of ideographs that belongs to two words, of which both are there: it is no word of its own. */
function isBridge(words: readonly QueryWord[], there: readonly boolean[], at: number): boolean {
  const [before, own, after] = [words[at - 1]?.word, words[at]?.word, words[at + 1]?.word];
  if (!there[at - 1] || !there[at + 1] || own === undefined || !/^\p{Lo}{2}$/u.test(own)) return false;
  return before?.at(-1) === own.at(0) && after?.at(0) === own.at(-1);
}

function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
