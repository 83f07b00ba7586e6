import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { sourceWords } from './documents-table.tsx';
import { orphansQuery } from './list-documents.ts';

/** Documents that no run has finished: a list to check after an outage. */
export function OrphansTable(): ReactNode {
  const pages = useInfiniteQuery(orphansQuery);
  if (pages.isPending) return <LoadingLines lines={4} />;
  if (pages.isError) return <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />;
  const rows = pages.data.pages.flatMap((page) => page.data);
  if (rows.length === 0)
    return (
      <EmptyState icon="check" title="Every document has a version">
        <p>This page lists documents whose runs failed or still wait.</p>
      </EmptyState>
    );
  return (
    <>
      <Table label="Documents without a version" head={['Title', 'Submitted', 'Source', 'Document']}>
        {rows.map((row) => (
          <Row key={row.doc_id}>
            <Cell className="max-w-96">
              <Link
                to="/data/documents/$docId"
                params={{ docId: row.doc_id }}
                search={{}}
                className="link wrap-anywhere"
              >
                {inertText(row.title)}
              </Link>
            </Cell>
            <Cell className="whitespace-nowrap">
              <Moment at={row.created_at} />
            </Cell>
            <Cell className="max-w-56 truncate text-xs">{sourceWords(row)}</Cell>
            <Cell>
              <CopyButton text={row.doc_id} what="document id" />
            </Cell>
          </Row>
        ))}
      </Table>
      <ShowMore pages={pages} />
    </>
  );
}
