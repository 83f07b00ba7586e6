// Where words of a query stand in a text, in any of their forms: the same beginning, up to an ending. Ideographs, which nothing separates, are
// marked where the very characters stand.

export interface Mark {
  readonly start: number;
  readonly end: number;
}

const MAX_MARKS = 200;
const ideograph = /[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF]/;

export function highlightsOf(text: string, words: readonly string[]): Mark[] {
  const wanted = words.flatMap(bare);
  const marks: Mark[] = [];
  for (const match of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const token = match[0].toLowerCase();
    if (ideograph.test(token)) marks.push(...placesIn(token, wanted, match.index));
    else if (wanted.some((word) => isForm(token, word)))
      marks.push({ start: match.index, end: match.index + match[0].length });
    if (marks.length >= MAX_MARKS) break;
  }
  return marks.slice(0, MAX_MARKS);
}

/** Pairs that overlap or follow each other are one mark. */
function placesIn(token: string, wanted: readonly string[], from: number): Mark[] {
  const isMarked = new Array<boolean>(token.length).fill(false);
  for (const word of wanted)
    for (let at = token.indexOf(word); at >= 0; at = token.indexOf(word, at + 1))
      isMarked.fill(true, at, at + word.length);
  const marks: Mark[] = [];
  for (let start = isMarked.indexOf(true); start >= 0; ) {
    const end = isMarked.indexOf(false, start);
    marks.push({ start: from + start, end: from + (end < 0 ? token.length : end) });
    start = end < 0 ? -1 : isMarked.indexOf(true, end);
  }
  return marks;
}

function bare(word: string): string[] {
  return (word.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((part) => part.length > 1 || ideograph.test(part));
}

function isForm(token: string, word: string): boolean {
  if (token === word) return true;
  if (token === `${word}s` || word === `${token}s`) return true;
  if (token.length < 4 || word.length < 4) return false;
  let common = 0;
  while (common < token.length && token[common] === word[common]) common += 1;
  // "policies" and "policy", "running" and "run" share all but an ending of a few letters.
  return common >= 4 && common >= Math.max(token.length, word.length) - 3;
}
