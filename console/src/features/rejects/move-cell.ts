export interface GridCell {
  readonly row: number;
  readonly column: number;
}

const page = 15;

/** Where a key leads from a cell, kept inside the grid; undefined when the key does not move. Far: with Ctrl, to the first or last row. */
export function moveCell(
  from: GridCell | undefined,
  key: string,
  rows: number,
  columns: number,
  isFar = false,
): GridCell | undefined {
  if (rows === 0 || columns === 0) return undefined;
  const at = from ?? { row: 0, column: 0 };
  const steps: Readonly<Record<string, GridCell>> = {
    ArrowDown: { row: from ? at.row + 1 : 0, column: at.column },
    ArrowUp: { row: at.row - 1, column: at.column },
    ArrowRight: { row: at.row, column: from ? at.column + 1 : 0 },
    ArrowLeft: { row: at.row, column: at.column - 1 },
    PageDown: { row: at.row + page, column: at.column },
    PageUp: { row: at.row - page, column: at.column },
    Home: { row: isFar ? 0 : at.row, column: 0 },
    End: { row: isFar ? rows - 1 : at.row, column: isFar ? at.column : columns - 1 },
  };
  const to = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return to && { row: Math.min(rows - 1, Math.max(0, to.row)), column: Math.min(columns - 1, Math.max(0, to.column)) };
}
