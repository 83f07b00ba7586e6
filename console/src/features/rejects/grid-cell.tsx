import { type ReactNode, useEffect, useRef } from 'react';
import { inertText } from '../../ui/inert-text.ts';
import { columnWidth } from './grid-header.tsx';
import type { Reject } from './list-rejects.ts';
import { cellState } from './reject-cells.ts';

interface Props {
  readonly id: string;
  readonly colIndex: number;
  readonly reject: Reject;
  readonly column: string;
  readonly active: boolean;
  readonly editing: boolean;
  readonly onPick: (edit: boolean) => void;
  readonly onSave: (value: string) => void;
  readonly onLeave: () => void;
}

/** One cell, one element: hundreds come into sight at once. The value as read, or as corrected over it. Bad cells are marked by a sign, not by colour alone. */
export function GridCellView({
  id,
  colIndex,
  reject,
  column,
  active,
  editing,
  onPick,
  onSave,
  onLeave,
}: Props): ReactNode {
  const { value, original, changed, fault } = cellState(reject, column);
  const settled = reject.status === 'replayed' || reject.status === 'resolved';
  const hints = [
    fault,
    changed ? `was ${original === null || original === '' ? 'empty' : `“${original}”`}` : undefined,
  ].filter(Boolean);
  const isEmpty = value === null || value === '';
  const paint = fault ? 'bg-bad-soft text-bad' : changed ? 'bg-good-soft' : isEmpty ? 'text-ink-3' : '';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtual grid cannot be a table element
    // biome-ignore lint/a11y/useFocusableInteractive: the grid holds the focus and names its active cell
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of its cells
    <div
      id={id}
      role="gridcell"
      aria-colindex={colIndex}
      aria-invalid={fault ? true : undefined}
      aria-selected={active}
      aria-readonly={settled || undefined}
      title={hints.join(' · ') || undefined}
      onClick={() => onPick(false)}
      onDoubleClick={() => !settled && onPick(true)}
      className={`grid-cell grid-value ${paint} ${active ? 'outline-2 -outline-offset-2 outline-water' : ''}`}
      style={{ width: columnWidth }}
    >
      {editing && !settled ? (
        <CellEditor
          label={`${column}, row ${reject.line ?? ''}`}
          value={value ?? ''}
          onSave={onSave}
          onLeave={onLeave}
        />
      ) : (
        <>
          {`${fault ? '✕ ' : changed ? '✎ ' : ''}${shown(value)}`}
          {/* Behind it: where both do not fit, the one that will be stored must be read. */}
          {changed && <del className="ml-1 text-2xs text-ink-2">{shown(original)}</del>}
        </>
      )}
    </div>
  );
}

function shown(value: string | null): string {
  return value === null || value === '' ? '(empty)' : inertText(value);
}

function CellEditor({
  label,
  value,
  onSave,
  onLeave,
}: {
  label: string;
  value: string;
  onSave: (value: string) => void;
  onLeave: () => void;
}): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useEffect(() => input.current?.select(), []);
  // Leaving the field saves as well, but an edit that Enter or Escape has ended is not saved twice.
  const end = (text: string | undefined) => {
    if (done.current) return;
    done.current = true;
    if (text === undefined || text === value) onLeave();
    else onSave(text);
  };
  return (
    <input
      ref={input}
      aria-label={label}
      defaultValue={value}
      // biome-ignore lint/a11y/noAutofocus: the person has just asked to edit this cell
      autoFocus
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter') end(event.currentTarget.value);
        if (event.key === 'Escape') end(undefined);
      }}
      onBlur={(event) => end(event.currentTarget.value)}
      className="figures -mx-1 w-full rounded-xs bg-raised px-1 py-0.5 text-xs text-ink outline-2 outline-water"
    />
  );
}
