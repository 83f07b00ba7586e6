// A page as the library parsed it, made into blocks in reading order that hold every word of its text layer.
import type { LayoutBlock, LayoutCell, ParsedPage, Rect } from '@llamaindex/liteparse';
import { type Judged, judgeLetters } from './arabic-letters.ts';
import { withLostLines } from './lost-lines.ts';
import {
  type Block,
  type Box,
  cleanText,
  garbledShareOf,
  placeBlocks,
  type ReadPage,
  tableText,
  withinPage,
  wordsMissing,
  wordsOf,
} from './page.ts';
import { plainText, type TextLayer, textLayerOf } from './plain-text.ts';
import { isInside, isRightToLeft, readColumns, readRightToLeft } from './reading-order.ts';
import { readTurned, type TurnedText } from './turned-text.ts';
import { asShown, type ShownPage } from './upright-pages.ts';

/** Blocks must hold this share of the words of the text layer, or the plain text is taken instead: no word is lost for the sake of layout. */
const MIN_BLOCK_SHARE = 0.9;

/** What stands on a page. */
export type View = Omit<ReadPage, 'pageNo' | 'fate' | 'width' | 'height'>;

export function viewPage(page: ParsedPage, shown?: ShownPage): View {
  const columns = readColumns(page.textItems);
  const turned = columns === undefined ? readTurned(page.textItems) : undefined;
  const judged = isRightToLeft(page.text) ? judgeLetters(page.text) : undefined;
  const blocks =
    columns === undefined
      ? [...blocksOf(page, turned, judged), ...turnedBlocks(turned)]
      : [{ kind: 'paragraph' as const, text: cleanText(columns) }];
  const plain = cleanText(plainOf(page, turned, judged));
  const missing = columns === undefined ? wordsMissing(plain, blocks) : 0;
  const isWhole = missing <= wordsOf(plain).length * (1 - MIN_BLOCK_SHARE);
  const isStraight = turned === undefined && judged === undefined;
  const kept = missing > 0 && isStraight ? withLostLines(blocks, page.textItems) : blocks;
  const inside = withinPage(isWhole ? kept : plainBlocks(plain), page);
  const placed = placeBlocks(shown === undefined ? inside : inside.map((block) => showBlock(block, shown)));
  const doubt = judged?.doubt ?? 0;
  const isTable = (kind: string) => kind === 'table';
  return {
    ...placed,
    charStart: 0,
    charEnd: placed.text.length,
    ocrConfidence: null,
    reason:
      doubt > 0
        ? `some words had their letters in reverse order and were turned; ${percent(doubt)} of the words are uncertain`
        : null,
    garbledShare: Math.max(garbledShareOf(page.text), doubt),
    tables: (page.blocks ?? []).filter(({ kind }) => isTable(kind)).length,
    tablesLost:
      (page.blocks ?? []).filter(({ kind }) => kind === 'grid_fallback').length +
      (isWhole ? 0 : (page.blocks ?? []).filter(({ kind }) => isTable(kind)).length),
  };
}

function showBlock(block: Block, shown: ShownPage): Block {
  return block.box === undefined ? block : { ...block, box: asShown(block.box, shown) };
}

function blocksOf(page: ParsedPage, turned: TurnedText | undefined, judged: Judged | undefined): Block[] {
  const layer = textLayerOf(page.text);
  const found = (page.blocks ?? []).flatMap((block) => blockOf(block, layer));
  // What holds turned letters alone is read by turned-text.ts.
  const blocks =
    turned === undefined
      ? found
      : found.filter(({ box }) => box === undefined || turned.upright.some((item) => isInside(item, box)));
  if (judged === undefined) return blocks;
  // Boxes of two lines may overlap: a piece belongs to the first that has it.
  const left = new Set(page.textItems);
  return blocks.map((block) => {
    if (block.kind === 'table' || block.box === undefined) return block;
    const { box } = block;
    const own = [...left].filter((item) => isInside(item, box));
    for (const item of own) left.delete(item);
    return { ...block, text: cleanText(readRightToLeft(own, judged.turn)) || block.text };
  });
}

function turnedBlocks(turned: TurnedText | undefined): Block[] {
  return (turned?.blocks ?? []).map(({ text, box }) => ({ kind: 'paragraph', text: cleanText(text), box }));
}

/** The words of the page without its layout. */
function plainOf(page: ParsedPage, turned: TurnedText | undefined, judged: Judged | undefined): string {
  const upright = turned === undefined ? undefined : turned.upright.map(({ text }) => text).join('\n');
  const turnedText = (turned?.blocks ?? []).map(({ text }) => text);
  if (judged !== undefined)
    return [readRightToLeft(turned?.upright ?? page.textItems, judged.turn), ...turnedText].join('\n\n');
  return upright === undefined ? page.text : [upright, ...turnedText].join('\n\n');
}

function percent(share: number): string {
  return `${Math.max(1, Math.round(share * 100))} %`;
}

function blockOf(block: LayoutBlock, layer: TextLayer): Block[] {
  const box = block.bbox === undefined ? {} : { box: boxOf(block.bbox) };
  const isRendered = block.kind === 'paragraph' || block.kind === 'list_item';
  const given = cleanText(block.text ?? block.lines?.join('\n') ?? '');
  const text = isRendered ? plainText(given, layer) : given;
  switch (block.kind) {
    case 'heading':
      return [{ kind: 'heading', level: block.level ?? 2, text: text.replace(/\s+/g, ' '), ...box }];
    case 'paragraph':
      return [{ kind: 'paragraph', text, ...box }];
    case 'list_item':
      return [
        {
          kind: 'list_item',
          level: (block.level ?? 0) + 1,
          text: block.marker === undefined ? text : `${block.marker} ${text}`,
          ...box,
        },
      ];
    case 'code':
    case 'grid_fallback':
      return [{ kind: 'code', text, ...box }];
    case 'table': {
      const all = [...(block.header === undefined ? [] : [block.header]), ...(block.rows ?? [])];
      const rows = all.map((cells) =>
        cells.map((cell, at) => (isRepeated(cell, cells[at - 1]) ? '' : cleanText(cell.text))),
      );
      return [{ kind: 'table', text: tableText(rows), rows, ...box }];
    }
    default:
      return [];
  }
}

/** A cell over several columns comes once for each of them. */
function isRepeated(cell: LayoutCell, before: LayoutCell | undefined): boolean {
  if (before?.bbox === undefined || cell.bbox === undefined || cell.text !== before.text) return false;
  return cell.bbox.x === before.bbox.x && cell.bbox.width === before.bbox.width;
}

function plainBlocks(text: string): Block[] {
  return text.split(/\n{2,}/).map((part): Block => ({ kind: 'paragraph', text: part.trim() }));
}

function boxOf({ x, y, width, height }: Rect): Box {
  const round = (value: number) => Math.round(value * 10) / 10;
  return { x: round(x), y: round(y), w: round(width), h: round(height) };
}
