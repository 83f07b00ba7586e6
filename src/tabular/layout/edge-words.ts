// Whether a cell may begin or end with one of some words, told from its bytes: names are asked this in every row, and most texts need not be made for it.
// It may say yes where no such word stands, and never no where one does.

const MAX_LETTERS = 24;
const SPACE = 32;
const FIRST_WIDE = 128;

export class EdgeWords {
  readonly #runs = new Set<number>();

  /** Of each word, and of each part of one with blanks, the letters that it begins and ends with. */
  constructor(words: Iterable<string>) {
    for (const word of words) {
      for (const part of word.split(/\s+/)) {
        const bytes = Buffer.from(part);
        for (const run of [firstRun(bytes, 0, bytes.length), lastRun(bytes, 0, bytes.length)])
          if (run > 0) this.#runs.add(run);
      }
    }
  }

  mayEdge(text: string): boolean {
    if (text === '') return false;
    const bytes = Buffer.from(text);
    return this.mayEdgeBytes(bytes, 0, bytes.length);
  }

  /** A letter that is not ASCII at either end is looked at as text. */
  mayEdgeBytes(bytes: Uint8Array, start: number, end: number): boolean {
    let from = start;
    let to = end;
    while (from < to && (bytes[from] as number) <= SPACE) from++;
    while (to > from && (bytes[to - 1] as number) <= SPACE) to--;
    if (from === to) return false;
    if ((bytes[from] as number) >= FIRST_WIDE || (bytes[to - 1] as number) >= FIRST_WIDE) return true;
    return this.#runs.has(firstRun(bytes, from, to)) || this.#runs.has(lastRun(bytes, from, to));
  }
}

/** A number for the letters that begin it; 0 where there are none, or more than any word has. */
function firstRun(bytes: Uint8Array, start: number, end: number): number {
  let to = start;
  while (to < end && isLetter(bytes[to] as number)) to++;
  return runOf(bytes, start, to);
}

function lastRun(bytes: Uint8Array, start: number, end: number): number {
  let from = end;
  while (from > start && isLetter(bytes[from - 1] as number)) from--;
  return runOf(bytes, from, end);
}

function runOf(bytes: Uint8Array, from: number, to: number): number {
  if (from === to || to - from > MAX_LETTERS) return 0;
  let run = to - from;
  for (let at = from; at < to; at++) run = (Math.imul(run, 31) + ((bytes[at] as number) | SPACE)) >>> 0;
  return run;
}

function isLetter(byte: number): boolean {
  const lower = byte | SPACE;
  return lower >= 97 && lower <= 122;
}
