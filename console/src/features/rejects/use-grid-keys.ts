import { type KeyboardEvent, useState } from 'react';
import { type GridCell, moveCell } from './move-cell.ts';

/** The active cell of a grid and the keys that move it. */
export function useGridKeys(rows: number, columns: number, onMove: (cell: GridCell) => void) {
  const [cell, setCell] = useState<GridCell>();
  const moveTo = (next: GridCell) => {
    setCell(next);
    onMove(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moveCell(cell, event.key, rows, columns, event.ctrlKey || event.metaKey);
    if (!next) return;
    event.preventDefault();
    moveTo(next);
  };
  return { cell, moveTo: setCell, onKeyDown };
}
