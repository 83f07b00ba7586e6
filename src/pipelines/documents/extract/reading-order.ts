// Text that does not run from left to right. The library puts what it finds on a line from left to right: words of a right-to-left line come in the
// wrong order, and the columns of vertical text are read across. Here both are put into the order in which people read them.
import type { Box } from './page.ts';

/** A piece of text as it stands on the page, in points from the top left. */
export interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly fontSize?: number | undefined;
}

/** Pieces that are closer to each other than this share of the size of their letters belong to one word. */
const SAME_WORD = 0.12;

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/gu;
const hasRightToLeft = new RegExp(rightToLeft.source, 'u');
const edges = /^([.,:;!?،؛؟…]+)(.+)$/su;
const ideograph = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー][。、，．」』）！？ー]?$/u;
/** So many ideographs that stand alone, in so many rows, are columns. */
const MIN_ALONE = 12;
const MIN_ROWS = 6;
const MIN_ALONE_SHARE = 0.8;

export function isRightToLeft(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return letters > 0 && (text.match(rightToLeft)?.length ?? 0) > letters / 2;
}

export function isInside({ x, y, width, height }: PlacedText, box: Box): boolean {
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  return middleX >= box.x - 1 && middleX <= box.x + box.w + 1 && middleY >= box.y - 1 && middleY <= box.y + box.h + 1;
}

/** Text of a right-to-left page, line by line. `turn` puts the letters of words in order, where the page has them as they stand. */
export function readRightToLeft(items: readonly PlacedText[], turn?: (text: string) => string): string {
  return linesOf(items)
    .map((line) => {
      const text = joinPieces(
        line.toSorted((a, b) => a.x - b.x),
        turn !== undefined,
      );
      return turnWords(turn?.(text) ?? text);
    })
    .join(' ');
}

/** Words from the left. One may come in several pieces, whose letters stand from the left too (`isVisual`) or as they are read. */
function joinPieces(line: readonly PlacedText[], isVisual: boolean): string {
  let words: string[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const { text, x, width, height, fontSize = height } of line) {
    const [first = '', ...rest] = text.split(/\s+/).filter(Boolean);
    const isSame = x - end < fontSize * SAME_WORD;
    const last = isSame ? (words.at(-1) ?? '') : '';
    const isTurned = !isVisual && hasRightToLeft.test(first) && hasRightToLeft.test(last);
    words = [...(isSame ? words.slice(0, -1) : words), isTurned ? first + last : last + first, ...rest];
    end = x + width;
  }
  return words.filter(Boolean).join(' ');
}

/** Words from left to right become words in reading order; runs of numbers and left-to-right words keep theirs. */
export function turnWords(line: string): string {
  const turned: string[] = [];
  let run: string[] = [];
  for (const word of line.split(/\s+/).filter(Boolean).reverse()) {
    if (!hasRightToLeft.test(word)) {
      run.unshift(word);
      continue;
    }
    turned.push(...run, word.replace(edges, '$2$1'));
    run = [];
  }
  // What ends the sentence stands at the left, before the first word of a run that ends it.
  const [, end = '', first = run[0] ?? ''] = edges.exec(run[0] ?? '') ?? [];
  return [...turned, ...(run.length === 0 ? [] : [first, ...run.slice(1)])].join(' ') + end;
}

function linesOf(items: readonly PlacedText[]): PlacedText[][] {
  const lines: { middle: number; items: PlacedText[] }[] = [];
  for (const item of items.toSorted((a, b) => a.y + a.height / 2 - (b.y + b.height / 2))) {
    const middle = item.y + item.height / 2;
    const line = lines.at(-1);
    if (line !== undefined && middle - line.middle < item.height * 0.6) line.items.push(item);
    else lines.push({ middle, items: [item] });
  }
  return lines.map((line) => line.items);
}

/** The text of a page of vertical columns, from the rightmost to the leftmost; undefined where it has none. */
export function readColumns(items: readonly PlacedText[]): string | undefined {
  const alone: { text: string; x: number; y: number; size: number }[] = [];
  const rows = new Set<number>();
  let others = 0;
  for (const { text, x, y, width, height } of items) {
    const words = text.split(/\s+/).filter(Boolean);
    if (!words.every((word) => ideograph.test(word))) {
      others += words.length;
      continue;
    }
    const step = words.length > 1 ? (width - height) / (words.length - 1) : 0;
    rows.add(Math.round(y));
    for (const [at, word] of words.entries()) alone.push({ text: word, x: x + at * step, y, size: height });
  }
  const isVertical =
    alone.length >= MIN_ALONE && rows.size >= MIN_ROWS && alone.length >= (alone.length + others) * MIN_ALONE_SHARE;
  if (!isVertical) return undefined;
  const columns: (typeof alone)[] = [];
  for (const each of alone.toSorted((a, b) => b.x - a.x)) {
    const column = columns.at(-1);
    if (column?.[0] !== undefined && column[0].x - each.x < each.size * 0.75) column.push(each);
    else columns.push([each]);
  }
  return columns.flatMap((column) => column.toSorted((a, b) => a.y - b.y).map(({ text }) => text)).join('');
}
