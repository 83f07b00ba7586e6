// What is stored of a version is what an undisturbed reader finds in its bytes, wherever those who read it were killed: every page with its
// fate, its text, and the levels of its headings, for which the reader compares pages.
import { isDeepStrictEqual } from 'node:util';
import type { Blob } from '../../src/engine/blobs/blobs.ts';
import { type DocumentsDeps, PAGES_PER_PART } from '../../src/pipelines/documents/deps.ts';
import type { Format } from '../../src/pipelines/documents/extract/extraction-messages.ts';
import type { ReadPage } from '../../src/pipelines/documents/extract/page.ts';
import { type OpenedDocument, withDocument } from '../../src/pipelines/documents/open-document.ts';
import type { Ground } from './ground.ts';

/** The newest: each costs the start of a reader. */
const MOST_VERSIONS = 60;

interface Version {
  readonly id: string;
  readonly format: Format;
  readonly blob: Blob;
  readonly pages: readonly { page_no: number; fate: string; text: string; blocks: unknown }[];
}

export async function readAgain(
  ground: Pick<Ground, 'ask'>,
  deps: DocumentsDeps,
): Promise<{ versions: number; findings: string[] }> {
  const versions = await ground.ask<Version>(
    `select v.doc_version_id as id, d.source_type as format, to_jsonb(b) as blob,
            (select jsonb_agg(jsonb_build_object('page_no', p.page_no, 'fate', p.fate, 'text', p.text, 'blocks', p.blocks) order by p.page_no)
             from document_pages p where p.tenant_id = v.tenant_id and p.doc_version_id = v.doc_version_id) as pages
     from document_versions v
     join documents d on d.tenant_id = v.tenant_id and d.doc_id = v.doc_id
     join engine.blobs b on b.blob_id = v.blob_id
     where v.ready_at is not null
     order by d.source_type = 'pdf' desc, v.ready_at desc limit ${MOST_VERSIONS}`,
  );
  const findings: string[] = [];
  for (const { id, format, blob, pages } of versions) {
    const read = await withDocument(deps, blob, { format }, (document) => readInParts(document, deps));
    const found = read.map(({ pageNo, fate, text, blocks }) => ({ page_no: pageNo, fate, text, blocks }));
    if (!isDeepStrictEqual(pages, JSON.parse(JSON.stringify(found))))
      findings.push(`the pages of version ${id} (${format}) are not what an undisturbed reader finds`);
  }
  return { versions: versions.length, findings };
}

/** In the parts of a run: lines that repeat are told by the pages of a part. */
async function readInParts(
  { facts, reader }: OpenedDocument,
  { pagesPerPart = PAGES_PER_PART }: DocumentsDeps,
): Promise<ReadPage[]> {
  const pages: ReadPage[] = [];
  for (let from = 1; from <= facts.pages; from += pagesPerPart)
    pages.push(...(await reader().pages(from, Math.min(facts.pages, from + pagesPerPart - 1))));
  return pages;
}
