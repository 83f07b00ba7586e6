// The process that reads documents: started for one document, asked page by page, killed when it takes too much. It has no database, no
// settings and no environment; whatever a file does to it stays here.
import { readFile } from 'node:fs/promises';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { ExtractionAnswer, ExtractionRequest, Opened, OpenRequest } from './extraction-messages.ts';
import type { ReadPage } from './page.ts';
import { PagesAhead } from './pages-ahead.ts';
import { sectionsOf } from './sections.ts';

interface OpenedDocument {
  readonly facts: Opened;
  pages(from: number, to: number): Promise<readonly ReadPage[]>;
  image(pageNo: number, dpi: number): Promise<Buffer>;
}

let document: OpenedDocument | undefined;

async function answer(request: ExtractionRequest): Promise<ExtractionAnswer> {
  if (request.ask === 'open') {
    document = request.format === 'pdf' ? await openPdf(request) : await openSections(request);
    return { type: 'opened', opened: document.facts };
  }
  if (document === undefined) throw new Error('asked before a document was opened');
  if (request.ask === 'pages') return { type: 'pages', pages: await document.pages(request.from, request.to) };
  return { type: 'image', png: await document.image(request.pageNo, request.dpi) };
}

// Each reader is loaded only where it is needed: the PDF library alone takes 60 MB.
async function openPdf(request: OpenRequest): Promise<OpenedDocument> {
  const { countPages, parsePages, readPdfPages } = await import('./read-pdf.ts');
  const { renderPage } = await import('./pdf-library.ts');
  const facts = { unit: 'page' as const, ...(await countPages(request.path)) };
  const isAlive = () => process.send?.({ type: 'alive' });
  const parsed = new PagesAhead((from, to) => parsePages(request.path, from, to, isAlive), {
    total: facts.pages,
    isAhead: request.isAhead ?? true,
  });
  const options = { ...request, onRead: isAlive };
  return {
    facts,
    pages: (from, to) => readPdfPages(options, parsed, from, to),
    image: (pageNo, dpi) => renderPage(request.path, pageNo, dpi),
  };
}

async function openSections(request: OpenRequest): Promise<OpenedDocument> {
  const { blocks, notes } = await readBlocks(request);
  const sections = sectionsOf(blocks).map((section) => settle(section, request.asked));
  return {
    facts: { unit: 'section', pages: sections.length, notes },
    pages: async (from, to) => sections.slice(from - 1, to),
    image: async (pageNo) => {
      throw new MillraceError('document_page_has_no_image', { page: pageNo });
    },
  };
}

async function readBlocks({ path, format }: OpenRequest) {
  if (format === 'docx') return (await import('./read-docx.ts')).readDocx(path);
  const bytes = await readFile(path);
  if (format === 'html') return (await import('./read-html.ts')).readHtml(bytes);
  const { readMarkdown, readText } = await import('./read-text.ts');
  return format === 'md' ? readMarkdown(bytes) : readText(bytes);
}

function settle(section: ReadPage, asked: OpenRequest['asked']): ReadPage {
  if (asked[section.pageNo] !== 'exclude') return section;
  return { ...section, fate: 'rejected', reason: 'left out by a person', text: '', blocks: [], tables: 0 };
}

process.on('message', (request: ExtractionRequest) => {
  void answer(request)
    .catch((error: unknown): ExtractionAnswer => {
      if (error instanceof MillraceError) return { type: 'failed', code: error.code, params: error.params };
      const reason = error instanceof Error ? error.message : String(error);
      return {
        type: 'failed',
        code: 'document_damaged',
        params: { reason: reason.split('\n')[0]?.slice(0, 200) ?? '' },
      };
    })
    .then((said) => process.send?.(said));
});
process.on('disconnect', () => process.exit(0));
