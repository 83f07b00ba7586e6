// PDF by liteparse (PDFium): pages with boxes, headings, tables and reading order. Each page ends with a fate: its text layer, OCR of its
// image, empty, or rejected with the reason. Runs in the extraction process only. Scripts in a PDF never run, links are never followed.
import {
  type LayoutBlock,
  type LayoutCell,
  LiteParse,
  type LiteParseConfig,
  type ParsedPage,
  type Rect,
} from '@llamaindex/liteparse';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { languageOf } from '../language.ts';
import { type Judged, judgeLetters } from './arabic-letters.ts';
import { imagePage } from './image-page.ts';
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
  withoutText,
  wordsMissing,
  wordsOf,
} from './page.ts';
import { cpuOfProcess, type PagesAhead, type ParsedPages } from './pages-ahead.ts';
import { findAsides } from './pdf-asides.ts';
import { plainText, type TextLayer, textLayerOf } from './plain-text.ts';
import { isInside, isRightToLeft, readColumns, readRightToLeft } from './reading-order.ts';
import { markRunning } from './running-lines.ts';
import { withSecondLook } from './second-look.ts';
import { isTurned, readTurned, type TurnedText } from './turned-text.ts';

export interface PdfOptions {
  readonly path: string;
  readonly ocr: 'off' | 'auto';
  readonly tessdata: string;
  readonly language: string;
  /** What a person asked for, by page. */
  readonly asked: Readonly<Record<string, 'ocr' | 'exclude'>>;
  /** Called after each page that was read by OCR. */
  readonly onSlowPage?: () => void;
}

/** A page whose text is this unreadable (a font without a usable map to characters) counts as a page without a text layer. */
const GARBLED_SHARE = 0.3;
/** Blocks must hold this share of the words of the text layer, or the plain text is taken instead: no word is lost for the sake of layout. */
const MIN_BLOCK_SHARE = 0.9;
/** A page with so large an image and so little text is a scan with a stamp on it, not a page of text. */
const SCAN_IMAGE_SHARE = 0.3;
const STAMP_SHARE = 0.03;
/** An image of this share of the page is said if it is not read: it may be a table or a letter. */
const SAID_IMAGE_SHARE = 0.1;
const OCR_DPI = 150;

const base: Partial<LiteParseConfig> = {
  quiet: true,
  ocrEnabled: false,
  extractBlocks: true,
  includeComplexity: true,
  continueOnPageError: true,
  // Stripping repeated lines was seen to take headings and sentences with them; we mark them ourselves.
  keepHeadersFooters: true,
  extractLinks: false,
  imageMode: 'off',
  renderFormFields: false,
  outputFormat: 'json',
  numWorkers: 1,
};

/** For a second look at the text of a page (second-look.ts). */
const itemsAlone: Partial<LiteParseConfig> = {
  extractTextMetadata: true,
  extractBlocks: false,
  includeComplexity: false,
};
const QUICK_CPU_MS = 500;
const AGAIN_PAGES = 80;

export async function countPages(path: string): Promise<{ pages: number; notes: string[] }> {
  // No page is looked at: one that ends the reader must not end the document.
  const { totalPages, docMeta } = await parse(path, { quiet: true, targetPages: '0', extractDocumentMetadata: true });
  if (totalPages === 0) throw new MillraceError('document_without_pages');
  const restricts = docMeta?.isEncrypted === true ? ['the document restricts what may be done with it'] : [];
  return { pages: totalPages, notes: [...restricts, ...(await findAsides(path))] };
}

/** The layout and text of some pages as the library finds them. */
export async function parsePages(path: string, from: number, to: number, onAlive?: () => void): Promise<ParsedPages> {
  const targetPages = `${from}-${to}`;
  const before = cpuOfProcess();
  const found = await parse(path, { ...base, targetPages });
  onAlive?.();
  // The time of the reader is limited: pages that take long are looked at once.
  const isQuick = cpuOfProcess() - before < QUICK_CPU_MS * (to - from + 1);
  const again = isQuick ? await readAgain(path, from, to) : [];
  return {
    pages: new Map(found.pages.map((page) => [page.pageNum, page])),
    errors: new Map(found.pageErrors.map(({ pageNum, message }) => [pageNum, message])),
    again: new Map(again),
  };
}

/** Fewer pages at a time: what the library says of each piece of text takes more memory than the pages. */
async function readAgain(path: string, from: number, to: number): Promise<[number, Piece[]][]> {
  const found: [number, Piece[]][] = [];
  for (let first = from; first <= to; first += AGAIN_PAGES) {
    const targetPages = `${first}-${Math.min(to, first + AGAIN_PAGES - 1)}`;
    const { pages } = await parse(path, { ...base, ...itemsAlone, targetPages });
    for (const { pageNum, textItems } of pages) found.push([pageNum, textItems.map(withPlace)]);
  }
  return found;
}

/** Text and place: the library says much more of each piece. */
function withPlace({ text, x, y, width, height, fontSize, rotation }: Piece): Piece {
  return {
    text,
    x,
    y,
    width,
    height,
    ...(fontSize === undefined ? {} : { fontSize }),
    ...(rotation === undefined ? {} : { rotation }),
  };
}

export async function readPdfPages(
  options: PdfOptions,
  parsed: PagesAhead,
  from: number,
  to: number,
): Promise<ReadPage[]> {
  const found = await parsed.get(from, to);
  const pages: ReadPage[] = [];
  for (let pageNo = from; pageNo <= to; pageNo++) pages.push(await settlePage(options, pageNo, found));
  return markRunning(pages);
}

export async function renderPage(path: string, pageNo: number, dpi: number): Promise<Buffer> {
  const [image] = await new LiteParse({ quiet: true, ocrEnabled: false, dpi })
    .screenshot(path, [pageNo])
    .catch(damaged);
  if (image === undefined) throw new MillraceError('document_damaged', { reason: `page ${pageNo} cannot be drawn` });
  return image.imageBuffer;
}

async function settlePage(options: PdfOptions, pageNo: number, found: ParsedPages): Promise<ReadPage> {
  const asked = options.asked[pageNo];
  const parsed = found.pages.get(pageNo);
  const first = parsed?.textItems.some(isTurned) === true ? await withWords(options.path, parsed) : parsed;
  if (first === undefined)
    return without(
      pageNo,
      'rejected',
      `the page cannot be read: ${(found.errors.get(pageNo) ?? 'no content').slice(0, 200)}`,
    );
  const page = withSecondLook(first, found.again.get(pageNo) ?? []);
  const size = { width: page.width, height: page.height };
  if (asked === 'exclude') return without(pageNo, 'rejected', 'left out by a person', size);
  const own = viewPage(page);
  const isGarbled = own.text !== '' && isUnreadable(page);
  if (own.text !== '' && !isGarbled && asked !== 'ocr') {
    const text: ReadPage = { ...own, pageNo, ...size, fate: 'text' };
    if (imageShareOf(page) < SAID_IMAGE_SHARE) return text;
    const scanned = isStampedScan(page) && options.ocr !== 'off' ? await readScan(options, text, page) : undefined;
    return scanned ?? { ...text, reason: [text.reason, IMAGE_NOT_READ].filter((each) => each !== null).join('; ') };
  }
  if (own.text === '' && asked !== 'ocr' && !hasPicture(page)) return without(pageNo, 'empty', null, size);
  if (options.ocr === 'off' && asked !== 'ocr')
    return without(
      pageNo,
      'rejected',
      isGarbled ? 'its text layer is garbled; OCR=off' : 'no text layer; OCR=off',
      size,
      isGarbled,
    );
  const read = await readByOcr(options, pageNo, isGarbled, own.text === '' ? undefined : size);
  options.onSlowPage?.();
  return { ...read, ...size };
}

const IMAGE_NOT_READ = 'an image on the page was not read';

function imageShareOf({ complexity }: ParsedPage): number {
  if (complexity === undefined) return 0;
  return complexity.fullPageImage ? 1 : complexity.largestImageCoverage;
}

function isStampedScan(page: ParsedPage): boolean {
  return imageShareOf(page) >= SCAN_IMAGE_SHARE && (page.complexity?.textCoverage ?? 1) < STAMP_SHARE;
}

/** The library takes lists of numbers and codes for broken fonts; what has the words of a language is none. */
function isUnreadable({ text, complexity }: ParsedPage): boolean {
  return garbledShareOf(text) > GARBLED_SHARE || (complexity?.isGarbled === true && languageOf(text).language === null);
}

/** A page whose text layer is a stamp: read by OCR where that finds more, with what the text layer says beside it. */
async function readScan(options: PdfOptions, text: ReadPage, page: ParsedPage): Promise<ReadPage | undefined> {
  const read = await readByOcr(options, text.pageNo, false, { width: page.width, height: page.height });
  options.onSlowPage?.();
  const isMore = read.fate === 'ocr' && wordsOf(read.text).length > wordsOf(text.text).length;
  if (!isMore) return undefined;
  const placed = placeBlocks(withinPage(withLostLines(read.blocks, page.textItems), page));
  const size = { width: page.width, height: page.height, charEnd: placed.text.length };
  return { ...read, ...placed, ...size, reason: 'most of the page is an image' };
}

/** Where each word stands; the library says it at twice the cost, so only pages that need it are asked. */
async function withWords(path: string, page: ParsedPage): Promise<ParsedPage> {
  const { pages } = await parse(path, { ...base, emitWordBoxes: true, targetPages: String(page.pageNum) });
  return pages[0] ?? page;
}

/** `size`: of a page that has a text layer, which the OCR must not see: the library reads images only where it finds no text. */
async function readByOcr(
  options: PdfOptions,
  pageNo: number,
  isGarbled: boolean,
  size: { readonly width: number; readonly height: number } | undefined,
): Promise<ReadPage> {
  let page: ParsedPage | undefined;
  try {
    const { pages } = await new LiteParse({
      ...base,
      ocrEnabled: true,
      ocrFailureFatal: false,
      ocrLanguage: options.language,
      tessdataPath: options.tessdata,
      dpi: OCR_DPI,
      targetPages: size === undefined ? String(pageNo) : '1',
    }).parse(
      size === undefined
        ? options.path
        : imagePage(await renderPage(options.path, pageNo, OCR_DPI), size.width, size.height),
    );
    page = pages[0];
  } catch (error) {
    return without(pageNo, 'rejected', `OCR failed: ${messageOf(error)}`, {}, isGarbled);
  }
  const view = page === undefined ? undefined : viewPage(page);
  if (page === undefined || view === undefined || view.text === '')
    return without(pageNo, 'empty', 'an image without readable text', {}, isGarbled);
  if (isGarbled && view.garbledShare > GARBLED_SHARE)
    return without(pageNo, 'rejected', 'its text layer is garbled and its image could not be read', {}, true);
  return {
    ...view,
    pageNo,
    fate: 'ocr',
    reason: isGarbled ? 'its text layer is garbled' : size === undefined ? 'no text layer' : 'asked for by a person',
    width: page.width,
    height: page.height,
    ocrConfidence: confidenceOf(page),
    garbledShare: isGarbled ? 1 : view.garbledShare,
  };
}

function confidenceOf({ textItems }: ParsedPage): number {
  let chars = 0;
  let sum = 0;
  for (const { text, confidence } of textItems) {
    if (confidence === undefined) continue;
    chars += text.length;
    sum += confidence * text.length;
  }
  return chars === 0 ? 0 : Math.min(1, sum / chars);
}

/** Something is drawn on it that may be text: an image, or outlines of letters. */
function hasPicture({ complexity }: ParsedPage): boolean {
  if (complexity === undefined) return false;
  return complexity.fullPageImage || complexity.imageBlockCount > 0 || (complexity.uncoveredVectorArea ?? 0) > 0;
}

type Piece = ParsedPage['textItems'][number];
type View = Omit<ReadPage, 'pageNo' | 'fate' | 'width' | 'height'>;

function viewPage(page: ParsedPage): View {
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
  const placed = placeBlocks(withinPage(isWhole ? kept : plainBlocks(plain), page));
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

function without(
  pageNo: number,
  fate: 'empty' | 'rejected',
  reason: string | null,
  size: { width?: number; height?: number } = {},
  isGarbled = false,
): ReadPage {
  return {
    ...withoutText(pageNo, reason ?? ''),
    fate,
    reason,
    width: size.width ?? null,
    height: size.height ?? null,
    garbledShare: isGarbled ? 1 : 0,
  };
}

async function parse(path: string, config: Partial<LiteParseConfig>) {
  return new LiteParse(config).parse(path).catch(damaged);
}

function damaged(error: unknown): never {
  const reason = messageOf(error);
  if (/password|encrypt/i.test(reason)) throw new MillraceError('document_encrypted', {}, { cause: error });
  throw new MillraceError('document_damaged', { reason }, { cause: error });
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (
    text
      .split('\n')[0]
      ?.replace(/^PDF error:\s*/, '')
      .slice(0, 200) ?? 'unknown'
  );
}
