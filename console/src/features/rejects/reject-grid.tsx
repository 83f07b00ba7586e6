// The refused rows. Rows and columns are virtual, so a hundred thousand rows of a hundred columns scroll as ten do; pages load as
// the view reaches them. The grid itself holds the focus: arrows move, Enter edits, Enter again validates that row.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { count } from '../../ui/figures.ts';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import type { RunFile } from '../reading/run-file.ts';
import { readingQuery } from '../reading/show-reading.ts';
import { useCorrectReject } from './correct-reject.ts';
import { columnWidth, GridHeader, leadWidth, lineWidth } from './grid-header.tsx';
import { GridRow } from './grid-row.tsx';
import { type Reject, rejectsQuery } from './list-rejects.ts';
import { cellsAfterEdit, gridColumns } from './reject-cells.ts';
import type { RejectSearch } from './reject-search.ts';
import { useGridKeys } from './use-grid-keys.ts';

const rowHeight = 34;
const scrollBarRoom = 18;
const ahead = 100;

interface Props {
  readonly run: RunFile;
  readonly search: RejectSearch;
  readonly total: number;
  readonly leads: readonly string[];
}

export function RejectGrid({ run, search, total, leads }: Props): ReactNode {
  const { run_id: runId } = run;
  const pages = useInfiniteQuery(rejectsQuery(runId, search));
  const reading = useQuery(readingQuery(run));
  const rows = useMemo(() => pages.data?.pages.flatMap((page) => page.data) ?? [], [pages.data]);
  // The header gives the columns their order; they must not change places under somebody's hands.
  if (pages.isPending || reading.isPending) return <LoadingLines lines={10} label="Loading the rows" />;
  if (pages.isError && rows.length === 0)
    return <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />;
  if (rows.length === 0) return <EmptyState icon="check" title="No row here" />;
  const load = () => {
    if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
  };
  const length = pages.hasNextPage ? Math.max(total, rows.length + 1) : rows.length;
  return (
    <Grid
      runId={runId}
      rows={rows}
      length={length}
      leads={leads}
      header={reading.data?.header}
      loading={pages.isFetching}
      onNeed={load}
    />
  );
}

interface GridProps {
  readonly runId: string;
  readonly rows: readonly Reject[];
  readonly length: number;
  readonly leads: readonly string[];
  readonly header: readonly string[] | undefined;
  readonly loading: boolean;
  readonly onNeed: () => void;
}

function Grid({ runId, rows, length, leads, header, loading, onNeed }: GridProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const columns = useMemo(() => gridColumns(rows, leads, header), [rows, leads, header]);
  const correct = useCorrectReject(runId);
  const [editing, setEditing] = useState(false);
  const virtualRows = useVirtualizer({
    count: length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollPaddingStart: rowHeight,
  });
  const virtualColumns = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => box.current,
    estimateSize: () => columnWidth,
    overscan: 1,
    paddingStart: leadWidth,
    scrollPaddingStart: lineWidth,
  });
  const active = useGridKeys(length, columns.length, (cell) => {
    virtualRows.scrollToIndex(cell.row);
    virtualColumns.scrollToIndex(cell.column);
  });
  const shown = virtualRows.getVirtualItems();
  const lastShown = shown.at(-1)?.index ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks again whenever a page has arrived and the view is still ahead of it
  useEffect(() => {
    if (lastShown + ahead >= rows.length) onNeed();
  }, [lastShown, rows.length, loading]);

  // Stable handlers, so that scrolling renders only the rows that came into sight.
  const { mutate } = correct;
  const { moveTo } = active;
  const leave = useCallback(() => {
    setEditing(false);
    box.current?.focus();
  }, []);
  const save = useCallback(
    (reject: Reject, column: string, value: string) => {
      leave();
      mutate({ reject, cells: cellsAfterEdit(reject, column, value) });
    },
    [leave, mutate],
  );
  const takeBack = useCallback((reject: Reject) => mutate({ reject, cells: {} }), [mutate]);
  const pick = useCallback(
    (row: number, column: number, edit: boolean) => {
      moveTo({ row, column });
      setEditing(edit);
    },
    [moveTo],
  );
  const shownColumns = virtualColumns.getVirtualItems();
  return (
    <div className="flex flex-col gap-2">
      {correct.isError && <ProblemNote error={correct.error} />}
      {/* biome-ignore lint/a11y/useSemanticElements: a virtual grid cannot be a table element */}
      <div
        ref={box}
        role="grid"
        aria-label="Refused rows"
        aria-rowcount={length + 1}
        aria-colcount={columns.length + 3}
        aria-activedescendant={active.cell ? `cell-${active.cell.row}-${active.cell.column}` : undefined}
        tabIndex={0}
        onKeyDown={(event) => {
          if (editing) return;
          if ((event.key === 'Enter' || event.key === 'F2') && active.cell && rows[active.cell.row]) {
            event.preventDefault();
            setEditing(true);
            return;
          }
          active.onKeyDown(event);
        }}
        style={{ height: (length + 1) * rowHeight + scrollBarRoom }}
        className="card relative max-h-[min(68dvh,46rem)] overflow-auto overscroll-contain"
      >
        <div
          className="relative"
          style={{ width: virtualColumns.getTotalSize(), height: virtualRows.getTotalSize() + rowHeight }}
        >
          <GridHeader columns={columns} shown={shownColumns} height={rowHeight} />
          {/* biome-ignore lint/a11y/useSemanticElements: a virtual grid cannot be a table element */}
          <div role="rowgroup">
            {shown.map((item) => (
              <GridRow
                key={item.key}
                index={item.index}
                top={item.start}
                height={rowHeight}
                reject={rows[item.index]}
                columns={columns}
                shown={shownColumns}
                activeColumn={active.cell?.row === item.index ? active.cell.column : undefined}
                editing={editing && active.cell?.row === item.index}
                saving={correct.isPending && correct.variables?.reject.id === rows[item.index]?.id}
                onPick={pick}
                onSave={save}
                onLeave={leave}
                onTakeBack={takeBack}
              />
            ))}
          </div>
        </div>
      </div>
      <p className="flex flex-wrap justify-between gap-x-4 text-xs text-ink-3">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> <kbd>←</kbd> <kbd>→</kbd> move · <kbd>Enter</kbd> edit, again to validate ·{' '}
          <kbd>Esc</kbd> leave
        </span>
        <span role="status">
          {loading
            ? `loading, ${count(rows.length)} of ${count(length)} rows here`
            : `${count(Math.min(rows.length, length))} of ${count(length)} rows loaded`}
        </span>
      </p>
    </div>
  );
}
