// Pages: read by the extraction process, 20 at a time, stored with their fates in the transaction of the checkpoint.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { findBlob } from '../../engine/blobs/blobs.ts';
import { type DocumentsDeps, PAGES_PER_PART } from './deps.ts';
import type { DocumentContext } from './document-context.ts';
import type { ReadPage } from './extract/page.ts';
import { addToGrade } from './grade.ts';
import { type OpenedDocument, withDocument } from './open-document.ts';
import { type PageCounts, type ProcessState, timed } from './process-state.ts';
import { type LostPages, readPages } from './read-pages.ts';
import { insertPages } from './sql/pages.ts';
import { insertVersion } from './sql/versions.ts';

export async function extractPages(
  context: DocumentContext,
  deps: DocumentsDeps,
  from: ProcessState,
): Promise<ProcessState> {
  const { run, input, commit, signal } = context;
  const blob = run.blobId === null ? undefined : await commit((tx) => findBlob(tx, run.blobId ?? ''));
  if (blob === undefined || blob.deleted_at !== null) throw new MillraceError('upload_file_gone', { run: run.id });
  const asked = input.pages ?? {};
  const lost: LostPages = { count: 0 };
  const state = await withDocument(deps, blob, { format: input.source_type, asked, signal }, (document) =>
    readInParts(context, deps, from, { document, lost }),
  );
  if (state.fates.text + state.fates.ocr > 0) return state;
  if (lost.error !== undefined) throw lost.error;
  throw withoutText(state);
}

/** Its pages are not kept, so the reason of one of them is told with it. */
function withoutText({ pages, unit, fates, whyNot }: ProcessState): MillraceError {
  const { empty, rejected } = fates;
  const why = whyNot === undefined ? '' : `; ${unit} ${whyNot.pageNo}: ${whyNot.reason}`;
  const reason = `none of the ${pages} ${unit}s has text (${empty} empty, ${rejected} rejected${why})`;
  return new MillraceError('document_without_text', { reason });
}

async function readInParts(
  context: DocumentContext,
  deps: DocumentsDeps,
  from: ProcessState,
  { document, lost }: { readonly document: OpenedDocument; readonly lost: LostPages },
): Promise<ProcessState> {
  const { facts } = document;
  const said = (done: number) =>
    context.progress({ done, total: facts.pages, unit: `${facts.unit}s`, note: 'reading' });
  const how = { lost, signal: context.signal, onPage: said };
  if (facts.pages === 0)
    throw new MillraceError('document_without_text', { reason: 'there is no text in it that a reader would see' });
  let state: ProcessState = { ...from, pages: facts.pages, unit: facts.unit, notes: facts.notes };
  const step = deps.pagesPerPart ?? PAGES_PER_PART;
  while (state.nextPage <= facts.pages) {
    const { nextPage } = state;
    const last = Math.min(facts.pages, nextPage + step - 1);
    const { value: pages, timings } = await timed(state, 'extract_ms', () => readPages(document, nextPage, last, how));
    const isLast = last === facts.pages;
    state = {
      ...state,
      timings,
      nextPage: last + 1,
      fates: countFates(state.fates, pages),
      grade: addToGrade(state.grade, pages),
      ...whyNotOf(state, pages),
      step: isLast ? 'chunks' : 'pages',
    };
    await storePages(context, state, pages, nextPage === 1);
    said(last);
  }
  return state;
}

/** The first page that is not read and says why. */
function whyNotOf({ whyNot: known }: ProcessState, pages: readonly ReadPage[]): Pick<ProcessState, 'whyNot'> {
  const found = pages.find(({ fate, reason }) => (fate === 'empty' || fate === 'rejected') && reason !== null);
  const whyNot = known ?? (found === undefined ? undefined : { pageNo: found.pageNo, reason: found.reason ?? '' });
  return whyNot === undefined ? {} : { whyNot };
}

async function storePages(
  { run, input, commit }: DocumentContext,
  state: ProcessState,
  pages: readonly ReadPage[],
  isFirst: boolean,
): Promise<void> {
  const version = {
    versionId: state.versionId,
    tenantId: run.tenantId,
    docId: input.doc_id,
    runId: run.id,
    blobId: run.blobId,
    contentHash: input.content_hash,
    sourceSeq: input.source_seq,
    sourceType: input.source_type,
    unit: state.unit,
  };
  await commit(
    async (tx) => {
      if (isFirst) await insertVersion(tx, version);
      await insertPages(tx, run.tenantId, state.versionId, pages);
    },
    { checkpoint: state },
  );
}

function countFates(counts: PageCounts, pages: readonly ReadPage[]): PageCounts {
  const next = { ...counts };
  for (const { fate } of pages) next[fate] += 1;
  return next;
}
