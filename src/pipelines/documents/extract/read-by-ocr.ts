// A page by its image. A scan may lie on its side or stand on its head: what is read of it then is nonsense, and it is read again as it would be turned.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { LiteParse, type ParsedPage } from '@llamaindex/liteparse';
import { imagePage } from './image-page.ts';
import { type ReadPage, withoutWords } from './page.ts';
import { base, messageOf, renderPage } from './pdf-library.ts';
import type { ShownPage, Turn } from './upright-pages.ts';
import { viewPage } from './view-page.ts';

export interface OcrOptions {
  readonly path: string;
  readonly tessdata: string;
  readonly language: string;
  /** A sign of activity after each reading of an image. */
  readonly onRead?: () => void;
}

export interface PageForOcr {
  readonly pageNo: number;
  readonly isGarbled: boolean;
  /** Of a page that has a text layer, which the OCR must not see: the library reads images only where it finds no text. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** A page whose text is this unreadable (a font without a usable map to characters) counts as a page without a text layer. */
export const GARBLED_SHARE = 0.3;
const OCR_DPI = 150;
/** Below it the image may stand on its head: letters that do are read with a confidence of about 0.58, upright ones of bad copies with more. */
const DOUBTFUL = 0.75;
/** A word of so many letters is wider than it is high, unless it stands on its side. */
const LONG_WORD = 4;

export async function readByOcr(options: OcrOptions, page: PageForOcr): Promise<ReadPage> {
  const { pageNo, isGarbled, size } = page;
  const missing = missingData(options);
  if (missing !== undefined)
    return withoutWords(pageNo, 'rejected', { reason: `OCR failed: ${missing} is not in OCR_DATA_PATH`, isGarbled });
  let best: Read | undefined;
  try {
    best = await readTurnedToo(options, page);
  } catch (error) {
    return withoutWords(pageNo, 'rejected', { reason: `OCR failed: ${messageOf(error)}`, isGarbled });
  }
  const view = best === undefined ? undefined : viewPage(best.page, best.shown);
  if (best === undefined || view === undefined || view.text === '')
    return withoutWords(pageNo, 'empty', { reason: 'an image without readable text', isGarbled });
  if (isGarbled && view.garbledShare > GARBLED_SHARE)
    return withoutWords(pageNo, 'rejected', {
      ...{ reason: 'its text layer is garbled and its image could not be read', isGarbled },
    });
  const { width, height } = best.shown;
  return {
    ...view,
    ...{ pageNo, fate: 'ocr', width, height },
    reason: isGarbled ? 'its text layer is garbled' : size === undefined ? 'no text layer' : 'asked for by a person',
    ocrConfidence: best.confidence,
    garbledShare: isGarbled ? 1 : view.garbledShare,
  };
}

/** The library would ask the internet for it, and go on silently where that fails. */
function missingData({ language, tessdata }: OcrOptions): string | undefined {
  return language
    .split('+')
    .map((each) => `${each}.traineddata`)
    .find((file) => !existsSync(path.join(tessdata, file)));
}

interface Read {
  readonly page: ParsedPage;
  readonly shown: ShownPage;
  readonly confidence: number;
}

async function readTurnedToo(options: OcrOptions, page: PageForOcr): Promise<Read | undefined> {
  const { size } = page;
  const source =
    size === undefined
      ? options.path
      : imagePage(await renderPage(options.path, page.pageNo, OCR_DPI), size.width, size.height);
  const at = size === undefined ? page.pageNo : 1;
  const upright = await readAt(options, source, at, 0);
  if (upright === undefined) return undefined;
  const others = turnsToTry(upright);
  let best = isSideways(upright.page) ? undefined : upright;
  for (const turn of others) {
    const read = await readAt(options, source, at, turn);
    if (read !== undefined && read.confidence > (best?.confidence ?? 0)) best = read;
  }
  return best ?? upright;
}

/** Of a short page that is turned the OCR may find nothing at all; on a blank one it looks quickly. */
function turnsToTry({ page, confidence }: Read): readonly Turn[] {
  if (page.textItems.length === 0) return [180, 90, 270];
  if (isSideways(page)) return [90, 270];
  return confidence < DOUBTFUL ? [180] : [];
}

async function readAt(options: OcrOptions, source: string | Buffer, at: number, turn: Turn): Promise<Read | undefined> {
  const { pages } = await new LiteParse({
    ...base,
    ocrEnabled: true,
    ocrFailureFatal: true,
    ocrLanguage: options.language,
    tessdataPath: options.tessdata,
    dpi: OCR_DPI,
    targetPages: String(at),
    ...(turn === 0 ? {} : { pageOrientationCorrections: [{ page: at, angle: turn }] }),
  }).parse(source);
  options.onRead?.();
  const [page] = pages;
  if (page === undefined) return undefined;
  const [width, height] = turn === 90 || turn === 270 ? [page.height, page.width] : [page.width, page.height];
  return { page, shown: { turn, width, height }, confidence: confidenceOf(page) };
}

function isSideways({ textItems }: ParsedPage): boolean {
  const long = textItems.filter(({ text }) => !/\s/.test(text) && text.length >= LONG_WORD);
  return long.filter(({ width, height }) => height > width).length > long.length / 2;
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
