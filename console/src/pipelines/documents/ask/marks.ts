// Cuts a text where words of the query stand, beginning shortly before the place where most different ones stand together.

export interface MarkedPiece {
  readonly start: number;
  readonly text: string;
  readonly isMarked: boolean;
}

const BEFORE = 120;
/** What a reader sees of a hit. */
const IN_SIGHT = 320;

export function marksOf(text: string, marks: readonly { start: number; end: number }[]): MarkedPiece[] {
  const sorted = marks.toSorted((a, b) => a.start - b.start);
  const first = fullest(text, sorted);
  const from = first <= BEFORE ? 0 : Math.max(0, text.lastIndexOf(' ', first - BEFORE / 2));
  const pieces: MarkedPiece[] = from > 0 ? [{ start: -1, text: '…', isMarked: false }] : [];
  let at = from;
  for (const { start, end } of sorted) {
    if (end <= from) continue;
    const begin = Math.max(at, start);
    const stop = Math.min(text.length, end);
    if (stop <= begin) continue;
    if (begin > at) pieces.push({ start: at, text: text.slice(at, begin), isMarked: false });
    pieces.push({ start: begin, text: text.slice(begin, stop), isMarked: true });
    at = stop;
  }
  if (at < text.length) pieces.push({ start: at, text: text.slice(at), isMarked: false });
  return pieces;
}

/** Where the stretch with the most different words begins; the first of equals. */
function fullest(text: string, sorted: readonly { start: number; end: number }[]): number {
  let best = { start: 0, words: 0 };
  for (const [at, { start }] of sorted.entries()) {
    const near = sorted.slice(at).filter(({ end }) => end <= start + IN_SIGHT);
    // Forms of one word begin alike.
    const words = new Set(near.map((mark) => text.slice(mark.start, mark.end).toLowerCase().slice(0, 4))).size;
    if (words > best.words) best = { start, words };
  }
  return best.start;
}
