// What each column holds, from the sample: its kind, how full it is, three examples, its empty markers, its date order.

import type { ColumnKind, ColumnReading } from '../reading.ts';
import { decideDateOrder } from '../values/date-order.ts';
import type { SampleRow } from './sample-row.ts';
import { shapeOf, type ValueShape } from './value-shape.ts';

const EXAMPLES = 3;
const EXAMPLE_LENGTH = 80;

export function profileColumns(names: readonly string[], rows: readonly SampleRow[]): ColumnReading[] {
  return names.map((name, index) => profileColumn(name, index, rows));
}

function profileColumn(name: string, index: number, rows: readonly SampleRow[]): ColumnReading {
  const shapes = new Map<ValueShape, number>();
  const examples = new Set<string>();
  const markers = new Set<string>();
  const values: string[] = [];
  for (const row of rows) {
    const cell = row.cells[index] ?? '';
    const shape = shapeOf(cell);
    shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
    if (shape === 'marker') markers.add(cell);
    else if (shape !== 'empty') {
      values.push(cell);
      if (examples.size < EXAMPLES) examples.add(cell.trim().slice(0, EXAMPLE_LENGTH));
    }
  }
  const kind = kindOf(shapes);
  const dates = kind === 'date' || hasSerials(values, kind) ? decideDateOrder(values) : null;
  return {
    index,
    name,
    kind,
    examples: [...examples],
    fillRate: rows.length === 0 ? 0 : Math.round((values.length / rows.length) * 1000) / 1000,
    emptyMarkers: [...markers].slice(0, 5),
    ...(dates === null ? {} : { dateOrder: dates }),
  };
}

function kindOf(shapes: ReadonlyMap<ValueShape, number>): ColumnKind {
  const count = (...kinds: ValueShape[]) => kinds.reduce((sum, kind) => sum + (shapes.get(kind) ?? 0), 0);
  const filled = count('date', 'integer', 'decimal', 'percent', 'money', 'id', 'text', 'masked');
  if (filled === 0) return 'empty';
  const most = (...kinds: ValueShape[]) => count(...kinds) >= filled * 0.8;
  if (most('date')) return 'date';
  if (most('id')) return 'id';
  if (most('percent')) return 'percent';
  if (most('integer', 'masked')) return 'integer';
  if (most('money')) return 'money';
  if (most('integer', 'decimal', 'money', 'percent', 'masked')) return 'decimal';
  return 'text';
}

/** Whole numbers that could be a spreadsheet's day numbers: the order is offered, the kind stays integer. */
function hasSerials(values: readonly string[], kind: ColumnKind): boolean {
  return kind === 'integer' && values.length > 0 && values.every((value) => /^[3-6]\d{4}$/.test(value.trim()));
}
