// The text of a model as sentences with the numbers behind them, while it is still being written.

export interface WrittenSentence {
  readonly text: string;
  readonly numbers: readonly number[];
}

/** An end of a sentence with all the citations that follow it. */
const sentence = /[\s\S]*?(?:[.!?…。！？]+["'”’)»]*(?=\s|\[|$)|\n+)(?:\s*\[[\d,;\s]+\])*/y;
const citation = /\[([\d,;\s]+)\]/g;

export class SentenceSplitter {
  #pending = '';

  /** Sentences that are whole: something else follows them already. */
  push(text: string): WrittenSentence[] {
    this.#pending += text;
    const sentences: WrittenSentence[] = [];
    for (;;) {
      sentence.lastIndex = 0;
      const match = sentence.exec(this.#pending)?.[0];
      if (match === undefined || match === '') return sentences;
      const rest = this.#pending.slice(match.length);
      // Citations may still come.
      if (!/^\s*[^\s[]/.test(rest)) return sentences;
      this.#pending = rest;
      sentences.push(...toSentence(match));
    }
  }

  end(): WrittenSentence[] {
    const rest = this.#pending;
    this.#pending = '';
    const sentences: WrittenSentence[] = [];
    let from = 0;
    while (from < rest.length) {
      sentence.lastIndex = from;
      const match = sentence.exec(rest)?.[0];
      if (match === undefined || match === '') break;
      sentences.push(...toSentence(match));
      from += match.length;
    }
    return [...sentences, ...toSentence(rest.slice(from))];
  }
}

function toSentence(raw: string): WrittenSentence[] {
  const numbers = [...raw.matchAll(citation)].flatMap((match) => (match[1] ?? '').match(/\d+/g) ?? []).map(Number);
  const text = raw
    .replace(citation, '')
    .replace(/\s+/g, ' ')
    .replace(/\s+([.!?…])/g, '$1')
    .trim();
  return /[\p{L}\p{N}]/u.test(text) ? [{ text, numbers: [...new Set(numbers)] }] : [];
}
