// The rows of the run's file with how each ended. The segments of the receipt choose which ones; a stored figure leads to where it came
// from, where the pipeline keeps that.
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { runPartsOf } from '../../pipelines/all.ts';
import { count, figure } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { outcomeClass } from '../../ui/receipt/receipt-segments.ts';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, right, Table } from '../../ui/table.tsx';
import { type FileColumn, fileColumns } from './file-columns.ts';
import { type FileRow, fileRowsQuery } from './list-file-rows.ts';

interface Props {
  readonly run: Pick<RunDetail, 'run_id' | 'pipeline'>;
  readonly outcome: string | undefined;
  /** Shown instead when the rows are no longer kept. */
  readonly forgotten: ReactNode;
}

export function FileRows({ run, outcome, forgotten }: Props): ReactNode {
  const { columns: known, amounts, Provenance } = runPartsOf(run.pipeline);
  const pages = useInfiniteQuery(fileRowsQuery(run.run_id, outcome));
  const [asked, setAsked] = useState<{ storedId: string; column: string }>();
  if (pages.isPending) return <LoadingLines lines={6} label="Loading the rows" />;
  if (pages.isError) return <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />;
  const rows = pages.data.pages.flatMap((page) => page.data);
  if (rows.length === 0 && pages.data.pages[0]?.kept === false) return forgotten;
  if (rows.length === 0)
    return <EmptyState icon="table" title={outcome ? `No row to show as ${outcome}` : 'No row has been stored'} />;
  const columns = fileColumns(rows, known);
  return (
    <>
      <Table
        label="Rows of the file"
        head={[right('Line'), 'Ended as', ...columns.map(({ label, isFigure }) => (isFigure ? right(label) : label))]}
      >
        {rows.map((row) => (
          <Row key={row.row}>
            <Cell className="figures text-right text-ink-3">{count(row.line)}</Cell>
            <Cell className="whitespace-nowrap">
              <span
                aria-hidden="true"
                className={`${outcomeClass(row.outcome)} mr-1.5 inline-block size-2.5 rounded-xs`}
              />
              {row.outcome}
            </Cell>
            {columns.map((column) => (
              <Cell key={column.name} className={column.isFigure ? 'figures text-right' : 'max-w-56 truncate'}>
                <Value
                  row={row}
                  column={column}
                  isMoney={amounts?.has(column.name) ?? false}
                  onAsk={Provenance && ((storedId) => setAsked({ storedId, column: column.name }))}
                />
              </Cell>
            ))}
          </Row>
        ))}
      </Table>
      <ShowMore pages={pages} />
      {asked && Provenance && (
        <Suspense fallback={null}>
          <Provenance {...asked} onClose={() => setAsked(undefined)} />
        </Suspense>
      )}
    </>
  );
}

function Value({
  row,
  column,
  isMoney,
  onAsk,
}: {
  row: FileRow;
  column: FileColumn;
  isMoney: boolean;
  onAsk: ((storedId: string) => void) | undefined;
}): ReactNode {
  const value = row.cells[column.name];
  if (value === null || value === undefined || value === '') return <span className="text-ink-3">–</span>;
  if (!column.isFigure) return inertText(value);
  const { stored_id: storedId } = row;
  const shown = figure(value, isMoney);
  if (!onAsk || storedId === null) return shown;
  return (
    <button
      type="button"
      onClick={() => onAsk(storedId)}
      className="underline decoration-line-strong decoration-dotted underline-offset-3 hover:text-water-strong"
      title="Where does this number come from?"
    >
      {shown}
    </button>
  );
}
