// What is read of a document: numbered pages (of a PDF) or sections (of everything else), each with a fate, its text in reading order and
// the blocks that text is made of. Plain data: it crosses a process boundary and is stored as it is.
import { storableText } from '../../../platform/storable-text.ts';

export type Fate = 'text' | 'ocr' | 'empty' | 'rejected';
export type Unit = 'page' | 'section';

/** In points from the top left of the page. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** running: a header or footer that repeats from page to page; it stays in the text of its page and out of the chunks. */
export type BlockKind = 'heading' | 'paragraph' | 'list_item' | 'code' | 'table' | 'running';

/** Where a piece of a block's text leads. It is kept and never followed. */
export interface Link {
  readonly text: string;
  readonly href: string;
}

export interface Block {
  readonly kind: BlockKind;
  /** Of a heading 1 to 6, of a list item its depth. */
  readonly level?: number;
  readonly text: string;
  readonly box?: Box;
  readonly rows?: readonly (readonly string[])[];
  /** In the order of the text. */
  readonly links?: readonly Link[];
}

/** A block and where its text stands in the text of its page. */
export interface PlacedBlock extends Block {
  readonly start: number;
  readonly end: number;
}

export interface ReadPage {
  readonly pageNo: number;
  readonly fate: Fate;
  readonly reason: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly text: string;
  readonly blocks: readonly PlacedBlock[];
  /** Of a section: where it stands in the text of the whole document. */
  readonly charStart: number;
  readonly charEnd: number;
  readonly ocrConfidence: number | null;
  readonly garbledShare: number;
  readonly tables: number;
  readonly tablesLost: number;
}

/** A page that could not be read. */
export function withoutText(pageNo: number, reason: string): ReadPage {
  return {
    pageNo,
    fate: 'rejected',
    reason,
    width: null,
    height: null,
    text: '',
    blocks: [],
    charStart: 0,
    charEnd: 0,
    ocrConfidence: null,
    garbledShare: 0,
    tables: 0,
    tablesLost: 0,
  };
}

/** The same with what is known of the page. */
export function withoutWords(
  pageNo: number,
  fate: 'empty' | 'rejected',
  known: {
    readonly reason: string | null;
    readonly isGarbled?: boolean;
    readonly width?: number;
    readonly height?: number;
  },
): ReadPage {
  const { reason, isGarbled = false, width = null, height = null } = known;
  return { ...withoutText(pageNo, reason ?? ''), fate, reason, width, height, garbledShare: isGarbled ? 1 : 0 };
}

const BETWEEN = '\n\n';

/** The text of a page, and where each block stands in it. */
export function placeBlocks(blocks: readonly Block[]): { text: string; blocks: PlacedBlock[] } {
  let text = '';
  const placed: PlacedBlock[] = [];
  for (const block of blocks) {
    if (block.text === '') continue;
    if (text !== '') text += BETWEEN;
    const start = text.length;
    text += block.text;
    placed.push({ ...block, start, end: text.length });
  }
  return { text, blocks: placed };
}

/** Long lines may run over the edge of the paper: there a box ends. What stands beside the page altogether has none. */
export function withinPage(
  blocks: readonly Block[],
  page: { readonly width: number; readonly height: number },
): Block[] {
  return blocks.map(({ box, ...block }) => {
    if (box === undefined) return block;
    const [x, y] = [Math.max(0, box.x), Math.max(0, box.y)];
    const [w, h] = [Math.min(page.width, box.x + box.w) - x, Math.min(page.height, box.y + box.h) - y];
    const round = (value: number) => Math.round(value * 10) / 10;
    return w > 0 && h > 0 ? { ...block, box: { x, y, w: round(w), h: round(h) } } : block;
  });
}

/** A table as text: a line per row, cells between bars, as Markdown has them. */
export function tableText(rows: readonly (readonly string[])[]): string {
  return rows
    .map((cells) => `| ${cells.map((cell) => cell.replace(/\s*\n\s*/g, ' ').trim()).join(' | ')} |`)
    .join('\n');
}

/** Characters that no reader wrote: replacement marks, private use, control characters. */
const unreadable = /[\uFFFD\p{Co}\p{Cc}]/gu;

export function garbledShareOf(text: string): number {
  const visible = text.replace(/\s+/g, '').length;
  return visible === 0 ? 0 : (text.replace(/\s+/g, '').match(unreadable)?.length ?? 0) / visible;
}

/** Text that a program can store and show: no NUL, no other control characters, no half characters. Soft hyphens would part words that are one. */
export function cleanText(text: string): string {
  return storableText(text)
    .replaceAll('\u00AD', '')
    .replace(/\r\n?/g, '\n')
    .replace(/\p{Cc}/gu, (control) => (control === '\n' || control === '\t' ? control : ''))
    .replace(/[ \t]+\n/g, '\n')
    .trim();
}

/** How many words of the text stand in none of the blocks. */
export function wordsMissing(text: string, blocks: readonly Block[]): number {
  const there = new Map<string, number>();
  for (const block of blocks) for (const word of wordsOf(block.text)) there.set(word, (there.get(word) ?? 0) + 1);
  let missing = 0;
  for (const word of wordsOf(text)) {
    const left = there.get(word) ?? 0;
    if (left === 0) missing += 1;
    else there.set(word, left - 1);
  }
  return missing;
}

export function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}
