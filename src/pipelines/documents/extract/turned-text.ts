// Text that stands upright on its side: a label along the edge, a table that was turned to fit the page. The library gives its letters or lines with their
// angle and leaves them out of the layout. Here they are put together: along each line, then line by line.
import type { Box } from './page.ts';
import type { PlacedText } from './reading-order.ts';

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

const ANGLE_SLACK = 5;
/** In sizes of the letters: a wider gap along a line is a space, a wider one between lines begins a new block. */
const WORD_GAP = 0.12;
const LINE_GAP = 2.5;

interface Line {
  readonly text: string;
  readonly box: Box;
  readonly size: number;
}

/** Undefined: nothing on the page is turned. */
export function readTurned(items: readonly AngledText[]): TurnedText | undefined {
  const down = items.filter((item) => isAt(item, 90)).flatMap(wordsOf);
  const up = items.filter((item) => isAt(item, 270)).flatMap(wordsOf);
  if (down.length + up.length === 0) return undefined;
  const blocks = [...blocksOf(linesOf(down, 'down')), ...blocksOf(linesOf(up, 'up'))];
  return { blocks, upright: items.filter((item) => !isTurned(item)) };
}

export function isTurned(item: AngledText): boolean {
  return isAt(item, 90) || isAt(item, 270);
}

function wordsOf(item: AngledText): readonly AngledText[] {
  return item.words === undefined || item.words.length === 0 ? [item] : item.words;
}

function isAt({ rotation = 0 }: AngledText, angle: number): boolean {
  return Math.abs(rotation - angle) <= ANGLE_SLACK;
}

/** Read downwards, the first line is the rightmost; read upwards, the leftmost. */
function linesOf(items: readonly AngledText[], direction: 'down' | 'up'): Line[] {
  const sign = direction === 'down' ? -1 : 1;
  const lines: { middle: number; items: AngledText[] }[] = [];
  for (const item of items.toSorted((a, b) => sign * (middleOf(a) - middleOf(b)))) {
    const line = lines.at(-1);
    if (line !== undefined && Math.abs(middleOf(item) - line.middle) < item.width * 0.6) line.items.push(item);
    else lines.push({ middle: middleOf(item), items: [item] });
  }
  return lines.map((line) => joinLine(line.items, direction));
}

function joinLine(items: readonly AngledText[], direction: 'down' | 'up'): Line {
  const begin = ({ y, height }: AngledText) => (direction === 'down' ? y : -(y + height));
  let [text, end] = ['', 0];
  for (const item of items.toSorted((a, b) => begin(a) - begin(b))) {
    text += text === '' || begin(item) - end < item.width * WORD_GAP ? item.text : ` ${item.text}`;
    end = begin(item) + item.height;
  }
  return { text, box: boxAround(items), size: Math.max(...items.map(({ width }) => width)) };
}

function blocksOf(lines: readonly Line[]): { text: string; box: Box }[] {
  const blocks: Line[] = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    const isNear = last !== undefined && gapBetween(last.box, line.box) < LINE_GAP * line.size;
    if (!isNear) blocks.push(line);
    else
      blocks.splice(-1, 1, {
        text: `${last.text} ${line.text}`,
        size: line.size,
        box: boxAround([last.box, line.box].map(({ w, h, ...place }) => ({ ...place, width: w, height: h }))),
      });
  }
  return blocks.map(({ text, box }) => ({ text, box }));
}

function gapBetween(one: Box, other: Box): number {
  return Math.max(one.x, other.x) - Math.min(one.x + one.w, other.x + other.w);
}

function middleOf({ x, width }: AngledText): number {
  return x + width / 2;
}

function boxAround(items: readonly { x: number; y: number; width: number; height: number }[]): Box {
  const round = (value: number) => Math.round(value * 10) / 10;
  const [x, y] = [Math.min(...items.map((each) => each.x)), Math.min(...items.map((each) => each.y))];
  const right = Math.max(...items.map((each) => each.x + each.width));
  const bottom = Math.max(...items.map((each) => each.y + each.height));
  return { x: round(x), y: round(y), w: round(right - x), h: round(bottom - y) };
}
