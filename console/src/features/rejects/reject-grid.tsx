// The refused rows. Rows and columns are virtual, so a hundred thousand rows of a hundred columns scroll as ten do; the piece of the
// rows that comes into sight is asked for by its place. The grid itself holds the focus: arrows move, Enter edits, Enter again
// validates that row.
import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useCallback, useMemo, useRef, useState } from 'react';
import type { RunFile } from '../../pipelines/kit.ts';
import { plural } from '../../ui/figures.ts';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { readingQuery } from '../reading/show-reading.ts';
import { useCorrectReject } from './correct-reject.ts';
import { columnWidth, GridHeader, leadWidth, lineWidth } from './grid-header.tsx';
import { GridRow } from './grid-row.tsx';
import type { Reject } from './list-rejects.ts';
import { cellsAfterEdit, gridColumns } from './reject-cells.ts';
import type { RejectSearch } from './reject-search.ts';
import { useGridKeys } from './use-grid-keys.ts';
import { useRejectPieces, useSettledView } from './use-reject-pieces.ts';

const rowHeight = 34;
const scrollBarRoom = 18;

interface Props {
  readonly run: RunFile;
  readonly search: RejectSearch;
  readonly total: number;
  readonly leads: readonly string[];
}

export function RejectGrid({ run, search, total, leads }: Props): ReactNode {
  const { run_id: runId } = run;
  const list = useRejectPieces(runId, search, total);
  const reading = useQuery(readingQuery(run));
  // The header gives the columns their order; they must not change places under somebody's hands.
  if (list.isPending || reading.isPending) return <LoadingLines lines={10} label="Loading the rows" />;
  if (list.error && list.pieces.size === 0) return <ProblemNote error={list.error} onRetry={list.retry} />;
  if (list.length === 0) return <EmptyState icon="check" title="No row here" />;
  return (
    <>
      {list.error && <ProblemNote error={list.error} onRetry={list.retry} />}
      <Grid runId={runId} list={list} leads={leads} header={reading.data?.header} />
    </>
  );
}

interface GridProps {
  readonly runId: string;
  readonly list: ReturnType<typeof useRejectPieces>;
  readonly leads: readonly string[];
  readonly header: readonly string[] | undefined;
}

/** Only what is in sight is rendered, of rows and of columns. */
function useVirtualCells(box: RefObject<HTMLDivElement | null>, rows: number, columns: number) {
  const virtualRows = useVirtualizer({
    count: rows,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollPaddingStart: rowHeight,
  });
  const virtualColumns = useVirtualizer({
    horizontal: true,
    count: columns,
    getScrollElement: () => box.current,
    estimateSize: () => columnWidth,
    overscan: 1,
    paddingStart: leadWidth,
    scrollPaddingStart: lineWidth,
  });
  return [virtualRows, virtualColumns] as const;
}

function Grid({ runId, list, leads, header }: GridProps): ReactNode {
  const { length, rowAt } = list;
  const box = useRef<HTMLDivElement>(null);
  // By the first rows that came: columns must not change places while somebody scrolls.
  const [sample] = useState(() => [...list.pieces.values()][0]?.rows ?? []);
  const columns = useMemo(() => gridColumns(sample, leads, header), [sample, leads, header]);
  const correct = useCorrectReject(runId);
  const [editing, setEditing] = useState(false);
  const [virtualRows, virtualColumns] = useVirtualCells(box, length, columns.length);
  const active = useGridKeys(length, columns.length, (cell) => {
    virtualRows.scrollToIndex(cell.row);
    virtualColumns.scrollToIndex(cell.column);
  });
  const shown = virtualRows.getVirtualItems();
  useSettledView(shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0, list.setView);

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
          if ((event.key === 'Enter' || event.key === 'F2') && active.cell && rowAt(active.cell.row)) {
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
                reject={rowAt(item.index)}
                columns={columns}
                shown={shownColumns}
                activeColumn={active.cell?.row === item.index ? active.cell.column : undefined}
                editing={editing && active.cell?.row === item.index}
                saving={correct.isPending && correct.variables?.reject.id === rowAt(item.index)?.id}
                onPick={pick}
                onSave={save}
                onLeave={leave}
                onTakeBack={takeBack}
              />
            ))}
          </div>
        </div>
      </div>
      <GridFoot isLoading={list.isLoading} length={length} />
    </div>
  );
}

function GridFoot({ isLoading, length }: { readonly isLoading: boolean; readonly length: number }): ReactNode {
  return (
    <p className="flex flex-wrap justify-between gap-x-4 text-xs text-ink-3">
      <span>
        <kbd>↑</kbd> <kbd>↓</kbd> <kbd>←</kbd> <kbd>→</kbd> move · <kbd>Ctrl</kbd> <kbd>End</kbd> to the last row ·{' '}
        <kbd>Enter</kbd> edit, again to validate · <kbd>Esc</kbd> leave
      </span>
      <span role="status">
        {isLoading ? 'loading, ' : ''}
        {plural(length, 'row')}
      </span>
    </p>
  );
}
