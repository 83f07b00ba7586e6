// PDF by liteparse (PDFium): pages with boxes, headings, tables and reading order. Each page ends with a fate: its text layer, OCR of its
// image, empty, or rejected with the reason. Runs in the extraction process only. Scripts in a PDF never run, links are never followed.
import { stat } from 'node:fs/promises';
import type { LiteParseConfig, ParsedPage } from '@llamaindex/liteparse';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { languageOf } from '../language.ts';
import { withLostLines } from './lost-lines.ts';
import { garbledShareOf, placeBlocks, type ReadPage, withinPage, withoutWords, wordsOf } from './page.ts';
import { cpuOfProcess, type PagesAhead, type ParsedPages } from './pages-ahead.ts';
import { findAsides } from './pdf-asides.ts';
import { base, parse } from './pdf-library.ts';
import { GARBLED_SHARE, type OcrOptions, readByOcr } from './read-by-ocr.ts';
import { markRunning } from './running-lines.ts';
import { withSecondLook } from './second-look.ts';
import { isTurned } from './turned-text.ts';
import { type ShownPage, turnOf } from './upright-pages.ts';
import { viewPage } from './view-page.ts';

type Piece = ParsedPage['textItems'][number];

export interface PdfOptions extends OcrOptions {
  readonly ocr: 'off' | 'auto';
  /** What a person asked for, by page. */
  readonly asked: Readonly<Record<string, 'ocr' | 'exclude'>>;
}

/** A page with so large an image and so little text is a scan with a stamp on it, not a page of text. */
const SCAN_IMAGE_SHARE = 0.3;
const STAMP_SHARE = 0.03;
/** An image of this share of the page is said if it is not read: it may be a table or a letter. */
const SAID_IMAGE_SHARE = 0.1;

/** Packed as tightly as a PDF can be, a blank page takes more. */
const LEAST_BYTES_PER_PAGE = 4;
const MOST_PAGES = 250_000;

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
  await judgeCount(totalPages, path);
  const restricts = docMeta?.isEncrypted === true ? ['the document restricts what may be done with it'] : [];
  return { pages: totalPages, notes: [...restricts, ...(await findAsides(path))] };
}

/** A file may say that it has any number of pages, and each of them would be asked for and have its fate. */
async function judgeCount(pages: number, path: string): Promise<void> {
  const { size } = await stat(path);
  if (pages * LEAST_BYTES_PER_PAGE > size)
    throw new MillraceError('document_damaged', { reason: `it says that it has ${pages} pages, in ${size} bytes` });
  if (pages > MOST_PAGES)
    throw new MillraceError('document_too_complex', {
      reason: `it has ${pages} pages, and ${MOST_PAGES} are read at most`,
    });
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
  onAlive?.();
  const { upright, shown } = await turnUpright(path, found.pages);
  return {
    pages: new Map([...found.pages, ...upright].map((page) => [page.pageNum, page])),
    errors: new Map(found.pageErrors.map(({ pageNum, message }) => [pageNum, message])),
    again: new Map(again),
    shown,
  };
}

/** Pages whose text is turned, parsed once more as they are to be read. */
async function turnUpright(
  path: string,
  pages: readonly ParsedPage[],
): Promise<{ upright: readonly ParsedPage[]; shown: Map<number, ShownPage> }> {
  const shown = new Map<number, ShownPage>();
  for (const page of pages) {
    const { pageNum, width, height } = page;
    const turn = turnOf(page.textItems);
    // A stamp on a scan says nothing of how the scan stands.
    if (turn !== 0 && !isStampedScan(page)) shown.set(pageNum, { turn, width, height });
  }
  if (shown.size === 0) return { upright: [], shown };
  const upright = await parse(path, {
    ...base,
    targetPages: [...shown.keys()].join(','),
    pageOrientationCorrections: [...shown].map(([page, { turn }]) => ({ page, angle: turn })),
  });
  return { upright: upright.pages, shown };
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

async function settlePage(options: PdfOptions, pageNo: number, found: ParsedPages): Promise<ReadPage> {
  const asked = options.asked[pageNo];
  const parsed = found.pages.get(pageNo);
  const shown = found.shown?.get(pageNo);
  const first = parsed?.textItems.some(isTurned) === true ? await withWords(options.path, parsed, shown) : parsed;
  if (first === undefined)
    return withoutWords(pageNo, 'rejected', {
      reason: `the page cannot be read: ${(found.errors.get(pageNo) ?? 'no content').slice(0, 200)}`,
    });
  const page = shown === undefined ? withSecondLook(first, found.again.get(pageNo) ?? []) : first;
  const { width, height } = shown ?? page;
  const size = { width, height };
  if (asked === 'exclude') return withoutWords(pageNo, 'rejected', { reason: 'left out by a person', ...size });
  const own = viewPage(page, shown);
  const isGarbled = own.text !== '' && isUnreadable(page);
  if (own.text !== '' && !isGarbled && asked !== 'ocr') {
    const text: ReadPage = { ...own, pageNo, ...size, fate: 'text' };
    if (imageShareOf(page) < SAID_IMAGE_SHARE) return text;
    const scanned = isStampedScan(page) && options.ocr !== 'off' ? await readScan(options, text, page) : undefined;
    return scanned ?? { ...text, reason: [text.reason, IMAGE_NOT_READ].filter((each) => each !== null).join('; ') };
  }
  if (own.text === '' && asked !== 'ocr' && !hasPicture(page))
    return withoutWords(pageNo, 'empty', { reason: null, ...size });
  if (options.ocr === 'off' && asked !== 'ocr')
    return withoutWords(pageNo, 'rejected', {
      reason: isGarbled ? 'its text layer is garbled; OCR=off' : 'no text layer; OCR=off',
      ...size,
      isGarbled,
    });
  const read = await readByOcr(options, { pageNo, isGarbled, ...(own.text === '' ? {} : { size }) });
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
  const size = { width: page.width, height: page.height };
  const read = await readByOcr(options, { pageNo: text.pageNo, isGarbled: false, size });
  const isMore = read.fate === 'ocr' && wordsOf(read.text).length > wordsOf(text.text).length;
  if (!isMore) return undefined;
  const placed = placeBlocks(withinPage(withLostLines(read.blocks, page.textItems), page));
  return { ...read, ...placed, ...size, charEnd: placed.text.length, reason: 'most of the page is an image' };
}

/** Where each word stands; the library says it at twice the cost, so only pages that need it are asked. */
async function withWords(path: string, page: ParsedPage, shown: ShownPage | undefined): Promise<ParsedPage> {
  const { pages } = await parse(path, {
    ...base,
    emitWordBoxes: true,
    targetPages: String(page.pageNum),
    ...(shown === undefined ? {} : { pageOrientationCorrections: [{ page: page.pageNum, angle: shown.turn }] }),
  });
  return pages[0] ?? page;
}

/** Something is drawn on it that may be text: an image, or outlines of letters. */
function hasPicture({ complexity }: ParsedPage): boolean {
  if (complexity === undefined) return false;
  return complexity.fullPageImage || complexity.imageBlockCount > 0 || (complexity.uncoveredVectorArea ?? 0) > 0;
}
