// What a query says: words, "phrases" that must stand there, -words that must not. Everything else in it is text, whatever it looks like:
// nothing of a query is ever read as a statement, a pattern or an instruction.
import { storableText } from '../../../platform/storable-text.ts';
import { searchableText } from '../language.ts';

export interface ParsedQuery {
  /** As it is embedded: without the marks of the syntax. */
  readonly text: string;
  readonly words: readonly string[];
  readonly phrases: readonly string[];
  readonly excluded: readonly string[];
  /** Words that were left out because there are too many. */
  readonly leftOut: number;
}

const MAX_WORDS = 200;
const MAX_PHRASES = 8;
const MAX_EXCLUDED = 20;
/** Words beside phrases. In more of them quotes and dashes mean nothing. */
const MOST_WITH_MARKS = 30;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const control = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const quoted = /["“”„«»]([^"“”„«»]{1,500})["“”„«»]/g;
const excluding = /(?<![^\s])-([\p{L}\p{N}][^\s]*)/gu;

/** Undefined when there is no letter and no digit in it. */
export function parseQuery(given: string): ParsedQuery | undefined {
  const clean = storableText(given).normalize('NFC').replace(control, ' ').trim();
  if (!/[\p{L}\p{N}]/u.test(clean)) return undefined;
  if (isProse(clean)) return ofWords(clean, [], []);
  const phrases: string[] = [];
  const withoutPhrases = clean.replace(quoted, (_, phrase: string) => {
    if (/[\p{L}\p{N}]/u.test(phrase) && phrases.length < MAX_PHRASES) phrases.push(phrase.trim());
    return ` ${phrase} `;
  });
  const excluded: string[] = [];
  const wanted = withoutPhrases.replace(excluding, (_, word: string) => {
    if (excluded.length < MAX_EXCLUDED) excluded.push(word);
    return ' ';
  });
  return ofWords(wanted, phrases, excluded);
}

/** Marks in a text of that length are those of its author: nobody who looks for a phrase writes a paragraph around it. */
function isProse(text: string): boolean {
  return text.replace(quoted, ' ').split(/\s+/).length > MOST_WITH_MARKS;
}

function ofWords(wanted: string, phrases: readonly string[], excluded: readonly string[]): ParsedQuery {
  const text = wanted.replace(/\s+/g, ' ').trim();
  // Pairs of ideographs are words of their own: each has its weight, and is found or missed by itself.
  const words = [
    ...new Set(
      searchableText(text)
        .split(/\s+/)
        .filter((word) => /[\p{L}\p{N}]/u.test(word)),
    ),
  ];
  return {
    text,
    words: words.slice(0, MAX_WORDS),
    phrases,
    excluded,
    leftOut: Math.max(0, words.length - MAX_WORDS),
  };
}
