import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { count, plural } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, right, Table } from '../../ui/table.tsx';
import { type DocumentSearch, readDocumentSearch } from './document-search.ts';
import { GradeMark } from './grade-mark.tsx';
import { type DocumentRow, documentsQuery } from './list-documents.ts';
import { TagList } from './tag-list.tsx';

const head = ['Title', 'Version', right('Pages'), 'Grade', right('Chunks'), 'Active since', 'Source'];

export function DocumentsTable({ search }: { search: DocumentSearch }): ReactNode {
  const documents = useQuery(documentsQuery(search));
  if (documents.isPending) return <LoadingLines lines={6} />;
  if (documents.isError) return <ProblemNote error={documents.error} onRetry={() => void documents.refetch()} />;
  const { data, total, total_pages: pages } = documents.data;
  if (data.length === 0) return <Nothing search={search} />;
  return (
    <>
      <Table label="Documents" head={head}>
        {data.map((document) => (
          <DocumentLine key={document.doc_id} document={document} />
        ))}
      </Table>
      <Paging search={search} total={total ?? data.length} pages={pages ?? 1} />
    </>
  );
}

function DocumentLine({ document }: { document: DocumentRow }): ReactNode {
  return (
    <Row>
      <Cell className="max-w-96 min-w-48">
        <Link
          to="/data/documents/$docId"
          params={{ docId: document.doc_id }}
          search={{}}
          className="link wrap-anywhere"
        >
          {inertText(document.title)}
        </Link>
        <TagList tags={document.tags} />
      </Cell>
      <Cell className="figures whitespace-nowrap">
        {document.version_label ?? '–'}
        {document.versions > 1 && <span className="text-ink-3"> of {document.versions}</span>}
      </Cell>
      <Cell className="figures text-right">{count(document.pages)}</Cell>
      <Cell>
        <GradeMark grade={document.grade} />
      </Cell>
      <Cell className="figures text-right">{count(document.chunks)}</Cell>
      <Cell className="whitespace-nowrap">
        {document.status === 'active' ? (
          <Moment at={document.activated_at} />
        ) : (
          <span className="text-ink-2">inactive</span>
        )}
      </Cell>
      <Cell className="max-w-56 truncate text-xs">
        <span title={document.source_uri}>{sourceWords(document)}</span>
      </Cell>
    </Row>
  );
}

/** "PDF, uploaded", or where its source has it. */
export function sourceWords({
  source_type: type,
  source_uri: uri,
}: Pick<DocumentRow, 'source_type' | 'source_uri'>): string {
  const place = uri.startsWith('upload://') ? 'uploaded' : inertText(uri);
  return `${type.toUpperCase()}, ${place}`;
}

function Nothing({ search }: { search: DocumentSearch }): ReactNode {
  if (Object.keys(search).length > 0) return <EmptyState icon="file" title="No document matches" />;
  return (
    <EmptyState icon="file" title="No documents yet">
      <p>Upload a PDF, DOCX, HTML, TXT or MD file. This page shows what happened to each of its pages.</p>
    </EmptyState>
  );
}

function Paging({ search, total, pages }: { search: DocumentSearch; total: number; pages: number }): ReactNode {
  const page = search.page ?? 1;
  const to = (wanted: number) => readDocumentSearch({ ...search, page: wanted });
  return (
    <nav
      aria-label="Pages of the list"
      className="flex items-center justify-between gap-3 border-t border-line px-4 py-2 text-xs text-ink-2"
    >
      <span>{plural(total, 'document')}</span>
      {pages > 1 && (
        <span className="flex items-center gap-2">
          {page > 1 && (
            <Link to="/data/documents" search={to(page - 1)} className="link">
              Newer
            </Link>
          )}
          page {count(page)} of {count(pages)}
          {page < pages && (
            <Link to="/data/documents" search={to(page + 1)} className="link">
              Older
            </Link>
          )}
        </span>
      )}
    </nav>
  );
}
