// An answer written by a language model and checked sentence by sentence: a citation that was not retrieved is dropped, a sentence that has
// none left is marked. A quote from the cited chunk, found on its page, stands behind each number.
import { inTenant } from '../../../access/tenant-session.ts';
import type { Pool } from '../../../platform/database.ts';
import type { FoundChunk } from '../sql/read-found.ts';
import type { Sentence, Written } from './answer.ts';
import { type Citation, locateQuotes, type Quotable } from './cite.ts';
import { quotableSpans } from './evidence.ts';
import type { Usage, Writer } from './llm/language-model.ts';
import { answerPrompt, NO_ANSWER } from './llm/prompt.ts';
import { SentenceSplitter, type WrittenSentence } from './llm/split-answer.ts';
import type { Found } from './search-documents.ts';

export interface WrittenByModel extends Written {
  /** It said itself that the evidence does not answer. */
  readonly refused: boolean;
}

export async function writeAnswer(
  pool: Pool,
  tenantId: string,
  { model, ...budget }: Writer,
  question: string,
  found: Found,
  { signal, onSentence }: { signal?: AbortSignal | undefined; onSentence?: ((sentence: Sentence) => void) | undefined },
): Promise<WrittenByModel> {
  const evidence = found.hits.map(({ title, unit, page, text }) => ({ title, place: `${unit} ${page}`, text }));
  const { prompt, pieces } = answerPrompt(question, evidence, budget, budget.countTokens);
  const splitter = new SentenceSplitter();
  const checker = new Checker(
    pool,
    tenantId,
    found.chunks.slice(0, pieces).map(({ found: chunk }) => chunk),
  );
  let usage: Usage = { tokensIn: 0, tokensOut: 0 };
  const take = async (sentences: readonly WrittenSentence[]) => {
    for (const each of sentences) {
      if (each.text.includes(NO_ANSWER)) {
        checker.refused = true;
        continue;
      }
      const sentence = await checker.check(each);
      onSentence?.(sentence);
    }
  };
  for await (const said of model.write(prompt, signal)) {
    if (said.kind === 'usage') usage = said.usage;
    else await take(splitter.push(said.text));
  }
  await take(splitter.end());
  return {
    sentences: checker.sentences,
    citations: checker.citations,
    by: {
      model: model.name,
      tokens_in: usage.tokensIn,
      tokens_out: usage.tokensOut,
      cost_usd: model.costOf(usage),
    },
    refused: checker.refused,
    said: [
      ...(checker.dropped > 0
        ? [`${checker.dropped} citations were dropped: they name nothing that was retrieved.`]
        : []),
      ...(checker.sentences.some(({ is_supported: isSupported }) => !isSupported)
        ? ['Sentences without a citation are marked.']
        : []),
      ...(pieces < found.hits.length ? [`${pieces} of ${found.hits.length} chunks fit into the token budget.`] : []),
    ],
  };
}

class Checker {
  readonly sentences: Sentence[] = [];
  readonly citations: Citation[] = [];
  dropped = 0;
  refused = false;
  readonly #pool: Pool;
  readonly #tenantId: string;
  readonly #chunks: readonly FoundChunk[];

  constructor(pool: Pool, tenantId: string, chunks: readonly FoundChunk[]) {
    this.#pool = pool;
    this.#tenantId = tenantId;
    this.#chunks = chunks;
  }

  async check({ text, numbers }: WrittenSentence): Promise<Sentence> {
    const known = numbers.filter((number) => this.#chunks[number - 1] !== undefined);
    this.dropped += numbers.length - known.length;
    const quotes = known.map((number) => bestQuote(this.#chunks[number - 1] as FoundChunk, text));
    const located =
      quotes.length === 0
        ? []
        : await inTenant(this.#pool, this.#tenantId, (db) => locateQuotes(db, this.#tenantId, quotes), {
            readOnly: true,
          });
    const cited = located.flatMap((place) => (place === undefined ? [] : [this.#numberOf(place)]));
    const sentence = { text, citations: [...new Set(cited)], is_supported: cited.length > 0 };
    this.sentences.push(sentence);
    return sentence;
  }

  #numberOf(place: Omit<Citation, 'number'>): number {
    const same = this.citations.find(({ chunk_id: id, quote }) => id === place.chunk_id && quote === place.quote);
    if (same !== undefined) return same.number;
    const number = this.citations.length + 1;
    this.citations.push({ number, ...place });
    return number;
  }
}

/** The sentence of the chunk that has the most words of the claim; in another language the first one of the chunk. */
function bestQuote(chunk: FoundChunk, claim: string): Quotable {
  const words = new Set(wordsOf(claim));
  let best: { readonly text: string; readonly page: number; readonly score: number } | undefined;
  for (const passage of chunk.passages) {
    const text = chunk.text.slice(passage.char_start, passage.char_end);
    for (const { start, end } of quotableSpans(text)) {
      const sentence = text.slice(start, end);
      const own = wordsOf(sentence);
      const score = own.filter((word) => words.has(word)).length / Math.sqrt(own.length + 1);
      if (best === undefined || score > best.score) best = { text: sentence, page: passage.page_no, score };
    }
  }
  return { chunk, text: best?.text ?? chunk.text, page: best?.page ?? chunk.page_from };
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 2 || /\d/.test(word));
}
