// An answer without a language model: the sentences of the documents that answer best, word by word, in reading order, each with its citation.
import type { Queryable } from '../../../platform/database.ts';
import type { Sentence, Written } from './answer.ts';
import { type Citation, locateQuotes } from './cite.ts';
import type { Evidence, EvidenceSentence } from './evidence.ts';
import type { Found } from './search-documents.ts';

const MOST = 4;
/** A sentence this much worse than the best one adds nothing. */
const WITHIN = 0.15;

export async function quoteAnswer(db: Queryable, tenantId: string, found: Found, evidence: Evidence): Promise<Written> {
  const chosen = chooseSentences(found, evidence.sentences);
  const quotes = chosen.flatMap((sentence) => {
    const chunk = found.chunks[sentence.at]?.found;
    return chunk === undefined ? [] : [{ chunk, text: sentence.text, page: sentence.page }];
  });
  const located = await locateQuotes(db, tenantId, quotes);
  const citations: Citation[] = [];
  const sentences: Sentence[] = [];
  for (const place of located) {
    if (place === undefined) continue;
    const number = citations.length + 1;
    citations.push({ number, ...place });
    sentences.push({ text: place.quote.replace(/\s+/g, ' '), citations: [number], is_supported: true });
  }
  return {
    sentences,
    citations,
    by: { model: null, tokens_in: null, tokens_out: null, cost_usd: null },
    said: [],
  };
}

const HEADING_WORDS = 12;

/**
 * A heading names what is asked for and says nothing about it. What stands below it is quoted in its place, with its score; a heading below which
 * nothing stands is quoted only where there is nothing else.
 */
function withoutHeadings(found: Found, sentences: readonly EvidenceSentence[]): readonly EvidenceSentence[] {
  const isHeading = ({ at, text, end }: EvidenceSentence) => {
    const chunk = found.chunks[at]?.found;
    const bare = text.trim();
    if (chunk?.heading_path.some((heading) => heading.endsWith(bare))) return true;
    // A short line of its own without a mark at its end.
    const endsLine = /^[ \t]*(?:\r?\n|$)/.test(chunk?.text.slice(end) ?? '');
    return endsLine && bare.split(/\s+/).length <= HEADING_WORDS && !/[.!?:;…。！？]["”’)\]]*$/.test(bare);
  };
  const headings = new Set(sentences.filter(isHeading));
  const body = sentences.filter((sentence) => !headings.has(sentence));
  if (headings.size === 0 || body.length === 0) return sentences;
  const scores = new Map(body.map((sentence) => [sentence, sentence.score]));
  for (const heading of headings) {
    const [below] = body
      .filter(({ at, start }) => at === heading.at && start >= heading.end)
      .sort((a, b) => a.start - b.start);
    if (below !== undefined) scores.set(below, Math.max(scores.get(below) ?? 0, heading.score));
  }
  return body.map((sentence) => ({ ...sentence, score: scores.get(sentence) ?? sentence.score }));
}

/** "It restricts …", "These are …": the sentence after the best one, where it goes on speaking of the same thing. */
function leaningOn(
  best: EvidenceSentence | undefined,
  sentences: readonly EvidenceSentence[],
): EvidenceSentence | undefined {
  if (best === undefined) return undefined;
  const [next] = sentences
    .filter(({ at, start }) => at === best.at && start >= best.end)
    .sort((a, b) => a.start - b.start);
  const isNext = next !== undefined && next.start - best.end <= 2;
  return isNext && /^(?:it|its|they|their|this|these|those|such|er|sie|es|dies\w*)\b/i.test(next.text)
    ? next
    : undefined;
}

/** The best, what comes close to it, once each; as a reader would meet them. */
function chooseSentences(found: Found, sentences: readonly EvidenceSentence[]): EvidenceSentence[] {
  const said = withoutHeadings(found, sentences);
  const sorted = said.toSorted((a, b) => b.score - a.score);
  const best = sorted[0]?.score ?? 0;
  const seen = new Set<string>();
  const chosen = sorted.filter(({ score, text }) => {
    const key = text.toLowerCase().replace(/\W+/g, ' ');
    if (score < best - WITHIN || seen.has(key) || seen.size >= MOST) return false;
    seen.add(key);
    return true;
  });
  const next = leaningOn(
    chosen.find(({ score }) => score === best),
    said,
  );
  if (next !== undefined && chosen.length < MOST && !chosen.includes(next)) chosen.push(next);
  const place = ({ at, start }: EvidenceSentence) => {
    const chunk = found.chunks[at]?.found;
    // Documents in the order in which they were found first, then as they are read.
    const document = found.chunks.findIndex((each) => each.found.doc_id === chunk?.doc_id);
    return [document, chunk?.chunk_no ?? 0, start] as const;
  };
  return chosen.sort((a, b) => {
    const [left, right] = [place(a), place(b)];
    return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
  });
}
