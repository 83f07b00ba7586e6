// What a reader should know of a search, in sentences: what was searched, what was left out, and what stood in for what.
import type { EmbeddedQuestion } from './embed-question.ts';
import type { ParsedQuery } from './parse-query.ts';
import type { Retrieval, SearchMode } from './retrieve.ts';
import type { Why } from './shapes.ts';
import type { Stopwatch } from './stopwatch.ts';

export function sayWhy(
  query: ParsedQuery,
  retrieval: Retrieval,
  asked: SearchMode,
  embedded: EmbeddedQuestion | undefined,
  watch: Stopwatch,
): Why {
  const { terms, searched, mode, candidates, activeModel } = retrieval;
  return {
    mode,
    said: [...saidOfVectors(retrieval, asked, embedded), ...saidOfWords(query, retrieval), ...saidOfNothing(retrieval)],
    words: terms.words.map(({ word, chunks, readAs, isCommon }) => ({
      word,
      chunks,
      read_as: readAs,
      is_common: isCommon,
    })),
    model: mode === 'lexical' ? null : (activeModel?.modelId ?? null),
    rerank: 'off',
    candidates,
    searched: { documents: searched.documents, chunks: searched.chunks },
    stages: watch.stages(),
  };
}

function saidOfNothing({ served, searched }: Retrieval): string[] {
  if (served.documents === 0) return ['No document is served yet.'];
  return searched.documents === 0 ? [nothingPasses(served.documents)] : [];
}

export function nothingPasses(documents: number): string {
  return `None of the ${documents} active documents passes the filters.`;
}

function saidOfVectors(
  { activeModel, mode, served }: Retrieval,
  asked: SearchMode,
  embedded: EmbeddedQuestion | undefined,
): string[] {
  if (asked === 'lexical' || mode !== 'lexical' || served.documents === 0) return [];
  if (embedded?.kind === 'unavailable')
    return [`Found by words only: the embedding provider could not be used (${embedded.reason}).`];
  if (activeModel === undefined) return ['Found by words only: no document has vectors yet.'];
  if (embedded?.kind === 'vector' && embedded.modelId !== activeModel.modelId)
    return [
      `Found by words only: the documents have vectors of ${activeModel.modelId}, this installation embeds with ${embedded.modelId}.`,
    ];
  return [];
}

function saidOfWords(query: ParsedQuery, { terms, candidates }: Retrieval): string[] {
  const said: string[] = [];
  for (const { word, readAs } of terms.words)
    if (readAs !== null) said.push(`No document has "${bareWord(word)}"; it was read as "${readAs}".`);
  const unknown = terms.words.filter(
    (word) => !word.isCommon && word.readAs === null && word.terms.length === 0 && word.chunks === 0,
  );
  if (unknown.length > 0) {
    const named = wholeWords(unknown).slice(0, 5);
    said.push(`No document has ${named.map(({ word }) => `"${word}"`).join(', ')}.`);
  }
  if (terms.words.length > 0 && terms.words.every(({ isCommon }) => isCommon))
    said.push('The query has only words that are too common to search by.');
  if (query.leftOut + terms.leftOut > 0)
    said.push(`The query is long: it was searched by its rarest ${terms.terms.length} words.`);
  if (candidates.dropped > 0) said.push(`${candidates.dropped} chunks were dropped by a phrase or an excluded word.`);
  return said;
}

/** Without the marks around it. */
function bareWord(word: string): string {
  return word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '') || word;
}

/** As they were written: pairs of ideographs that overlap are said as what they were cut from, with the weight of the rarest. */
export function wholeWords(
  words: readonly { readonly word: string; readonly idf: number }[],
): { word: string; idf: number }[] {
  const whole: { word: string; idf: number }[] = [];
  for (const { word, idf } of words) {
    const before = whole.at(-1);
    const [first, ...rest] = [...bareWord(word)];
    if (before !== undefined && first !== undefined && /^\p{Lo}$/u.test(first) && before.word.endsWith(first)) {
      before.word += rest.join('');
      before.idf = Math.max(before.idf, idf);
    } else whole.push({ word: bareWord(word), idf });
  }
  return whole;
}
