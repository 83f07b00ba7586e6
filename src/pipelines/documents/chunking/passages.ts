// Inside a chunk, passages of about 120 words are what is embedded: models read a few hundred tokens, and short passages find best. A
// passage never crosses a page. Title and heading path stand in front of it, so that it is found by what it is about.
import { createHash } from 'node:crypto';
import type { Chunk } from './chunk-pages.ts';
import { cutSpan, type Span, sentencesOf, wordCount } from './text-measure.ts';

const PASSAGE_WORDS = 120;
/** A rest this short joins the passage before it. */
const MIN_REST_WORDS = 30;
const MAX_SENTENCE_CHARS = 900;
const MAX_FRONT_CHARS = 300;

export interface Passage {
  readonly passageNo: number;
  readonly pageNo: number;
  /** In the text of the chunk. */
  readonly start: number;
  readonly end: number;
}

export function passagesOf(chunk: Pick<Chunk, 'text' | 'parts'>): Passage[] {
  const passages: Passage[] = [];
  for (const part of chunk.parts) {
    const text = chunk.text.slice(part.start, part.end);
    for (const { start, end } of groupSentences(text))
      passages.push({
        passageNo: passages.length,
        pageNo: part.pageNo,
        start: part.start + start,
        end: part.start + end,
      });
  }
  return passages;
}

/** What is embedded of a passage. */
export function embeddedText(title: string, headingPath: readonly string[], passage: string): string {
  const front = [title, ...headingPath].filter((line, index, all) => line !== '' && all.indexOf(line) === index);
  return `${front.join(' > ').slice(0, MAX_FRONT_CHARS)}\n${passage}`;
}

export function textHash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function groupSentences(text: string): Span[] {
  const sentences = sentencesOf(text).flatMap((span) => cutSpan(text, span, MAX_SENTENCE_CHARS));
  const groups: Span[] = [];
  let current: Span | undefined;
  for (const sentence of sentences) {
    const grown: Span = current === undefined ? sentence : { start: current.start, end: sentence.end };
    if (current !== undefined && wordCount(text.slice(grown.start, grown.end)) > PASSAGE_WORDS * 1.15) {
      groups.push(current);
      current = sentence;
    } else current = grown;
  }
  if (current === undefined) return groups;
  const last = groups.at(-1);
  if (last !== undefined && wordCount(text.slice(current.start, current.end)) < MIN_REST_WORDS)
    groups[groups.length - 1] = { start: last.start, end: current.end };
  else groups.push(current);
  return groups;
}
