// Sentences and words, for cutting text where a reader would.

/** Ends of sentences: marks followed by space and something that begins one, ideographic full stops, line ends. */
const sentenceEnd = /(?<=[.!?…]["'”’)\]]?)\s+(?=[\p{Lu}\p{N}"'“‘([])|(?<=[。！？])|\n+/gu;

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Spans that cover all visible text, in order. */
export function sentencesOf(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const match of text.matchAll(sentenceEnd)) {
    pushTrimmed(spans, text, start, match.index);
    start = match.index + match[0].length;
  }
  pushTrimmed(spans, text, start, text.length);
  return spans;
}

/** A span cut into pieces of at most `maxChars`, at spaces where there are any. */
export function cutSpan(text: string, span: Span, maxChars: number): Span[] {
  const pieces: Span[] = [];
  let start = span.start;
  while (span.end - start > maxChars) {
    const space = text.lastIndexOf(' ', start + maxChars);
    const cut = space > start ? space : safeCut(text, start + maxChars);
    pushTrimmed(pieces, text, start, cut);
    start = cut;
  }
  pushTrimmed(pieces, text, start, span.end);
  return pieces;
}

/** Ideographs count as half a word each: a passage of them is about as long as one of words. */
export function wordCount(text: string): number {
  const ideographs = text.match(/[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF]/g)?.length ?? 0;
  const words = text.replace(/[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF]/g, ' ').match(/\S+/g)?.length ?? 0;
  return words + Math.ceil(ideographs / 2);
}

function pushTrimmed(spans: Span[], text: string, from: number, to: number): void {
  let start = from;
  let end = to;
  while (start < end && /\s/.test(text[start] ?? '')) start += 1;
  while (end > start && /\s/.test(text[end - 1] ?? '')) end -= 1;
  if (end > start) spans.push({ start, end });
}

/** Never between the two halves of a character. */
function safeCut(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
