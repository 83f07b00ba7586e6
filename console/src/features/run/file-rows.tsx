// The rows of the run's file with how each ended. The segments of the receipt choose which ones; a figure that is stored leads to its
// passport.
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { outcomeClass } from '../../ui/receipt/receipt-segments.ts';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, right, Table } from '../../ui/table.tsx';
import { measureValue } from '../data/measure-names.ts';
import { PassportDrawer } from '../data/passport-drawer.tsx';
import { type FileColumn, fileColumns } from './file-columns.ts';
import { type FileRow, fileRowsQuery } from './list-file-rows.ts';

interface Props {
  readonly runId: string;
  readonly outcome: string | undefined;
  /** Only numbers of ads have a passport. */
  readonly hasPassports: boolean;
  /** Shown instead when the rows are no longer kept. */
  readonly forgotten: ReactNode;
}

export function FileRows({ runId, outcome, hasPassports, forgotten }: Props): ReactNode {
  const pages = useInfiniteQuery(fileRowsQuery(runId, outcome));
  const [asked, setAsked] = useState<{ metricId: string; measure: string }>();
  if (pages.isPending) return <LoadingLines lines={6} label="Loading the rows" />;
  if (pages.isError) return <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />;
  const rows = pages.data.pages.flatMap((page) => page.data);
  if (rows.length === 0 && pages.data.pages[0]?.kept === false) return forgotten;
  if (rows.length === 0)
    return <EmptyState icon="table" title={outcome ? `No row to show as ${outcome}` : 'No row has been stored'} />;
  const columns = fileColumns(rows);
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
                  onAsk={hasPassports ? (metricId, measure) => setAsked({ metricId, measure }) : undefined}
                />
              </Cell>
            ))}
          </Row>
        ))}
      </Table>
      {pages.hasNextPage && (
        <div className="flex justify-center border-t border-line p-3">
          <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
      {asked && <PassportDrawer {...asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function Value({
  row,
  column,
  onAsk,
}: {
  row: FileRow;
  column: FileColumn;
  onAsk: ((metricId: string, measure: string) => void) | undefined;
}): ReactNode {
  const value = row.cells[column.name];
  if (value === null || value === undefined || value === '') return <span className="text-ink-3">–</span>;
  if (!column.isFigure) return inertText(value);
  const { stored_id: storedId } = row;
  const shown = measureValue(column.name, value);
  if (!onAsk || storedId === null) return shown;
  return (
    <button
      type="button"
      onClick={() => onAsk(storedId, column.name)}
      className="underline decoration-line-strong decoration-dotted underline-offset-3 hover:text-water-strong"
      title="Where does this number come from?"
    >
      {shown}
    </button>
  );
}
