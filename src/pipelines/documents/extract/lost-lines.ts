// Lines of the text layer that the layout has lost: the library was seen to drop lines of code and of tables. They are put back where they stand, as
// paragraphs of their own. A word that a line break had cut, and that the layout has joined, is not lost.
import { type Block, cleanText, wordsOf } from './page.ts';
import { isInside, type PlacedText } from './reading-order.ts';

/** A line is lost when more than this share of its words stands in no block. Common words are found anywhere, so fewer will do where its pairs of words are gone too. */
const LOST_WORDS = 0.5;
const LOST_WORDS_OF_PAIRS = 0.25;
const LOST_PAIRS = 0.5;

export function withLostLines(blocks: readonly Block[], items: readonly PlacedText[]): Block[] {
  const left = new Map<string, number>();
  const pairs = new Set<string>();
  for (const { text } of blocks) {
    const words = wordsOf(text);
    for (const word of words) left.set(word, (left.get(word) ?? 0) + 1);
    for (const pair of pairsOf(words)) pairs.add(pair);
  }
  // Lines that are there take their words first: a lost line would take those of the lines after it, and nothing would be missing.
  const [kept, parted] = [items.filter((each) => isKept(each, pairs)), items.filter((each) => !isKept(each, pairs))];
  const gone = [
    ...kept.filter((each) => isLost(each, left, LOST_WORDS)),
    ...parted.filter((each) => isLost(each, left)),
  ];
  /** By the block after which they stand; -1 is the top of the page. */
  const lost = new Map<number, PlacedText[]>();
  for (const item of gone) {
    const at = placeOf(item, blocks);
    lost.set(at, [...(lost.get(at) ?? []), item]);
  }
  if (lost.size === 0) return [...blocks];
  const after = (at: number) => (lost.get(at) ?? []).toSorted((a, b) => a.y - b.y || a.x - b.x).map(asBlock);
  return [...after(-1), ...blocks.flatMap((block, at) => [block, ...after(at)])];
}

/** Its words stand beside each other in the blocks as they do in the line. A single word may stand anywhere. */
function isKept({ text }: PlacedText, pairs: ReadonlySet<string>): boolean {
  const own = pairsOf(wordsOf(text));
  return own.length > 0 && own.filter((pair) => !pairs.has(pair)).length <= own.length * LOST_PAIRS;
}

/** Takes the words of the line from those of the blocks. */
function isLost({ text }: PlacedText, left: Map<string, number>, share?: number): boolean {
  const words = wordsOf(text);
  const missing = words.filter((word) => {
    const there = left.get(word) ?? 0;
    if (there > 0) left.set(word, there - 1);
    return there === 0;
  }).length;
  return missing > words.length * (share ?? (words.length > 1 ? LOST_WORDS_OF_PAIRS : LOST_WORDS));
}

function pairsOf(words: readonly string[]): string[] {
  return words.slice(1).map((word, at) => `${words[at]} ${word}`);
}

/** The block that it stands in, or the last one above it. */
function placeOf(item: PlacedText, blocks: readonly Block[]): number {
  const around = blocks.findIndex(({ box }) => box !== undefined && isInside(item, box));
  if (around !== -1) return around;
  return blocks.findLastIndex(
    ({ box }) => box !== undefined && box.y <= item.y && box.x < item.x + item.width && item.x < box.x + box.w,
  );
}

function asBlock({ text, x, y, width, height }: PlacedText): Block {
  const round = (value: number) => Math.round(value * 10) / 10;
  return {
    kind: 'paragraph',
    text: cleanText(text),
    box: { x: round(x), y: round(y), w: round(width), h: round(height) },
  };
}
