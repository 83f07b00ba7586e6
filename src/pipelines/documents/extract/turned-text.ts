// Text that stands otherwise than the rest of its page: a label along the edge, a table on its side, a stamp upside down. The library gives its letters or
// lines with their angle and leaves them out of the layout, or mixes up their words. Here they are put together: along each line, then line by line.
import type { Box } from './page.ts';
import type { PlacedText } from './reading-order.ts';
import { isAt, type Turn } from './upright-pages.ts';

export interface AngledText extends PlacedText {
  /** Clockwise, in degrees. */
  readonly rotation?: number | undefined;
  /** Its words, each at its place: an item may go on at the beginning of the next line. */
  readonly words?: readonly PlacedText[] | undefined;
}

export interface TurnedText {
  readonly blocks: readonly { readonly text: string; readonly box: Box }[];
  /** Everything else on the page. */
  readonly upright: readonly AngledText[];
}

/** In sizes of the letters: a wider gap along a line is a space, a wider one between lines begins a new block. */
const WORD_GAP = 0.12;
const LINE_GAP = 2.5;
const turns = [90, 270, 180] as const;

/** A piece as it would stand if the page were turned so that it is upright: along the line and down the page. */
interface Upright {
  readonly item: PlacedText;
  readonly along: number;
  readonly length: number;
  readonly down: number;
  readonly size: number;
}

interface Line {
  readonly text: string;
  readonly box: Box;
  readonly top: number;
  readonly bottom: number;
  readonly size: number;
}

/** Undefined: nothing on the page is turned. */
export function readTurned(items: readonly AngledText[]): TurnedText | undefined {
  if (!items.some(isTurned)) return undefined;
  const blocks = turns.flatMap((turn) => {
    const own = items.filter(({ rotation }) => isAt(rotation, turn)).flatMap(wordsOf);
    return blocksOf(linesOf(own.map((item) => stand(item, turn))));
  });
  return { blocks, upright: items.filter((item) => !isTurned(item)) };
}

export function isTurned({ rotation }: AngledText): boolean {
  return turns.some((turn) => isAt(rotation, turn));
}

function wordsOf(item: AngledText): readonly PlacedText[] {
  return item.words === undefined || item.words.length === 0 ? [item] : item.words;
}

function stand(item: PlacedText, turn: Turn): Upright {
  const { x, y, width, height } = item;
  if (turn === 180) return { item, along: -(x + width), length: width, down: -(y + height), size: height };
  const along = turn === 90 ? y : -(y + height);
  return { item, along, length: height, down: turn === 90 ? -(x + width) : x, size: width };
}

function linesOf(pieces: readonly Upright[]): Line[] {
  const middleOf = ({ down, size }: Upright) => down + size / 2;
  const lines: { middle: number; pieces: Upright[] }[] = [];
  for (const piece of pieces.toSorted((a, b) => middleOf(a) - middleOf(b))) {
    const line = lines.at(-1);
    if (line !== undefined && middleOf(piece) - line.middle < piece.size * 0.6) line.pieces.push(piece);
    else lines.push({ middle: middleOf(piece), pieces: [piece] });
  }
  return lines.map((line) => joinLine(line.pieces));
}

function joinLine(pieces: readonly Upright[]): Line {
  let [text, end] = ['', 0];
  for (const { item, along, length, size } of pieces.toSorted((a, b) => a.along - b.along)) {
    text += text === '' || along - end < size * WORD_GAP ? item.text : ` ${item.text}`;
    end = along + length;
  }
  return {
    text,
    box: boxAround(pieces.map(({ item }) => item)),
    top: Math.min(...pieces.map(({ down }) => down)),
    bottom: Math.max(...pieces.map(({ down, size }) => down + size)),
    size: Math.max(...pieces.map(({ size }) => size)),
  };
}

function blocksOf(lines: readonly Line[]): { text: string; box: Box }[] {
  const blocks: Line[] = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    if (last === undefined || line.top - last.bottom >= LINE_GAP * line.size) blocks.push(line);
    else
      blocks.splice(-1, 1, {
        ...line,
        text: `${last.text} ${line.text}`,
        top: last.top,
        box: boxAround([last.box, line.box].map(({ w, h, ...place }) => ({ ...place, width: w, height: h }))),
      });
  }
  return blocks.map(({ text, box }) => ({ text, box }));
}

function boxAround(items: readonly { x: number; y: number; width: number; height: number }[]): Box {
  const round = (value: number) => Math.round(value * 10) / 10;
  const [x, y] = [Math.min(...items.map((each) => each.x)), Math.min(...items.map((each) => each.y))];
  const right = Math.max(...items.map((each) => each.x + each.width));
  const bottom = Math.max(...items.map((each) => each.y + each.height));
  return { x: round(x), y: round(y), w: round(right - x), h: round(bottom - y) };
}
