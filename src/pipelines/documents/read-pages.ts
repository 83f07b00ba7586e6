// Pages, read so that a page which ends the reader costs that page alone: when a part of the document is lost with its reader, a new one
// reads it page by page, and a page that does it again is rejected with the reason. Everything else about a file that fails is the document's.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { type ReadPage, withoutText } from './extract/page.ts';
import type { OpenedDocument } from './open-document.ts';

/** Each costs up to two time limits: a document made of such pages is not worth its worker. */
const MAX_LOST_PAGES = 20;

export interface LostPages {
  count: number;
  /** Of the first one: the reason of the document when no page of it can be read. */
  error?: MillraceError;
}

export interface ReadOptions {
  readonly lost: LostPages;
  readonly signal?: AbortSignal;
  /** After each page that was read by itself: a sign of activity. */
  readonly onPage?: (pageNo: number) => void;
}

export async function readPages(
  document: OpenedDocument,
  from: number,
  to: number,
  options: ReadOptions,
): Promise<readonly ReadPage[]> {
  try {
    return await document.reader().pages(from, to);
  } catch (error) {
    await recover(document, error, options);
    const pages: ReadPage[] = [];
    for (let pageNo = from; pageNo <= to; pageNo++) {
      pages.push(await readAlone(document, pageNo, options));
      options.onPage?.(pageNo);
    }
    return pages;
  }
}

async function readAlone(document: OpenedDocument, pageNo: number, options: ReadOptions): Promise<ReadPage> {
  try {
    const [page] = await document.reader().pages(pageNo, pageNo);
    if (page !== undefined) return page;
    throw new MillraceError('document_damaged', { reason: `page ${pageNo} has no content` });
  } catch (error) {
    const isGone = document.reader().isGone;
    const reason = await recover(document, error, options);
    const { lost } = options;
    if (isGone) lost.count += 1;
    lost.error ??= reason;
    if (lost.count > MAX_LOST_PAGES) throw reason;
    return withoutText(pageNo, `the page cannot be read: ${reasonOf(reason)}`);
  }
}

/** Makes sure that there is a reader to go on with; throws what is no matter of a page. */
async function recover(document: OpenedDocument, error: unknown, { signal }: ReadOptions): Promise<MillraceError> {
  signal?.throwIfAborted();
  const { isGone } = document.reader();
  const isOfPage = error instanceof MillraceError && (isGone || error.code === 'document_damaged');
  if (!isOfPage || document.facts.unit !== 'page') throw error;
  if (isGone) await document.reopen();
  return error;
}

function reasonOf({ params, code }: MillraceError): string {
  return String(params.reason ?? code);
}
