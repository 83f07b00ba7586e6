// Cuts a text where words of the query stand, beginning shortly before the first of them.

export interface MarkedPiece {
  readonly start: number;
  readonly text: string;
  readonly isMarked: boolean;
}

const BEFORE = 120;

export function marksOf(text: string, marks: readonly { start: number; end: number }[]): MarkedPiece[] {
  const sorted = marks.toSorted((a, b) => a.start - b.start);
  const first = sorted[0]?.start ?? 0;
  const from = first <= BEFORE ? 0 : Math.max(0, text.lastIndexOf(' ', first - BEFORE / 2));
  const pieces: MarkedPiece[] = from > 0 ? [{ start: -1, text: '…', isMarked: false }] : [];
  let at = from;
  for (const { start, end } of sorted) {
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
