import type { VirtualItem } from '@tanstack/react-virtual';
import { memo, type ReactNode } from 'react';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { GridCellView } from './grid-cell.tsx';
import { columnWidth, faultWidth, leadWidth, lineWidth, stateWidth } from './grid-header.tsx';
import type { Reject } from './list-rejects.ts';
import { faultsOf, type RowState, rowState } from './reject-cells.ts';

interface Props {
  readonly index: number;
  readonly top: number;
  readonly height: number;
  /** undefined while its page has not arrived. */
  readonly reject: Reject | undefined;
  readonly columns: readonly string[];
  readonly shown: readonly VirtualItem[];
  readonly activeColumn: number | undefined;
  readonly editing: boolean;
  readonly saving: boolean;
  readonly onPick: (row: number, column: number, edit: boolean) => void;
  readonly onSave: (reject: Reject, column: string, value: string) => void;
  readonly onLeave: () => void;
  readonly onTakeBack: (reject: Reject) => void;
}

const looks: Record<RowState, { word: string; mark: string; text: string; row: string }> = {
  open: { word: 'refused', mark: '✕', text: 'text-bad', row: 'bg-surface' },
  faulty: { word: 'still faulty', mark: '▲', text: 'text-warn', row: 'bg-surface' },
  ready: { word: 'valid now', mark: '✓', text: 'text-good', row: 'bg-surface settles' },
  replayed: { word: 'replaying', mark: '↻', text: 'text-water-strong', row: 'bg-surface' },
  resolved: { word: 'stored', mark: '✓', text: 'text-good', row: 'bg-good-soft settles' },
};

export const GridRow = memo(function GridRow(props: Props): ReactNode {
  const { index, top, height, reject, shown, columns } = props;
  const gap = (shown[0]?.start ?? leadWidth) - leadWidth;
  const state = reject ? rowState(reject) : undefined;
  const look = state ? looks[state] : undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtual grid cannot be a table element
    // biome-ignore lint/a11y/useFocusableInteractive: the grid holds the focus and names its active cell
    <div
      role="row"
      aria-rowindex={index + 2}
      data-state={state}
      className={`grid-row ${look?.row ?? 'bg-surface'}`}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      <Plain column={1} width={lineWidth} className="grid-line">
        {reject ? (reject.line === null ? '–' : count(reject.line)) : '…'}
      </Plain>
      <Plain column={2} width={stateWidth} className={`font-medium ${look?.text ?? ''}`}>
        {props.saving ? <span className="breathing">checking…</span> : look && `${look.mark} ${look.word}`}
      </Plain>
      <Plain column={3} width={faultWidth} className="text-ink-2" title={reject && wordsOf(reject)}>
        {reject && <Explanation reject={reject} onTakeBack={props.onTakeBack} />}
      </Plain>
      {gap > 0 && <span className="shrink-0" style={{ width: gap }} />}
      {shown.map((item) => {
        const column = columns[item.index] ?? '';
        if (!reject)
          return (
            <Plain key={item.key} column={item.index + 4} width={columnWidth} className="">
              <span className="skeleton h-3 w-3/5" />
            </Plain>
          );
        return (
          <GridCellView
            key={item.key}
            id={`cell-${index}-${item.index}`}
            colIndex={item.index + 4}
            reject={reject}
            column={column}
            active={props.activeColumn === item.index}
            editing={props.editing && props.activeColumn === item.index}
            onPick={(edit) => props.onPick(index, item.index, edit)}
            onSave={(value) => props.onSave(reject, column, value)}
            onLeave={props.onLeave}
          />
        );
      })}
    </div>
  );
});

function Plain({
  column,
  width,
  className,
  title,
  children,
}: {
  column: number;
  width: number;
  className: string;
  title?: string | undefined;
  children: ReactNode;
}): ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtual grid cannot be a table element
    // biome-ignore lint/a11y/useFocusableInteractive: the grid holds the focus and names its active cell
    <div role="gridcell" aria-colindex={column} className={`grid-cell ${className}`} style={{ width }} title={title}>
      {children}
    </div>
  );
}

function wordsOf(reject: Reject): string | undefined {
  const words = faultsOf(reject)
    .map((fault) => (fault.column ? `${fault.column}: ${fault.message}` : fault.message))
    .join(' · ');
  return words || undefined;
}

function Explanation({ reject, onTakeBack }: { reject: Reject; onTakeBack: (reject: Reject) => void }): ReactNode {
  const words = inertText(wordsOf(reject) ?? '');
  if (!reject.correction) return words;
  return (
    <>
      {(reject.status === 'open' || reject.status === 'corrected') && (
        <button
          type="button"
          tabIndex={-1}
          onClick={() => onTakeBack(reject)}
          className="float-right ml-2 text-water underline"
          title="Take the correction back"
        >
          undo
        </button>
      )}
      {words || `corrected by ${reject.correction.by ?? 'you'}`}
    </>
  );
}
