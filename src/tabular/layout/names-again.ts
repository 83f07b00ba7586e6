// Lines of the sample that name columns again with no blank line above them: every cell a text, also where the rows above always have
// values, and rows below that do not fit those above. Without a blank line the signs must be plain: one odd row in a table is no header.
import { filledCount, type SampleRow } from './sample-row.ts';
import { isValueShape, shapeOf } from './value-shape.ts';

const MIN_ROWS = 3;
const ALWAYS = 0.9;
/** Columns of values in which names must stand: with a day among them fewer are enough. */
const MIN_VALUES = 3;
const MIN_WITH_DATE = 2;
/** With two columns of values so many rows must follow that do not fit: one odd row among two columns says little. */
const MIN_FOREIGN = 3;

/** The rows of one table as they come, with what their columns hold. */
export class TableSoFar {
  readonly #header: readonly string[];
  #rows = 0;
  #values: number[] = [];
  #dates: number[] = [];

  /** `header`: the names of the table. */
  constructor(header: readonly string[]) {
    this.#header = header.map(plain);
  }

  add({ cells }: SampleRow): void {
    this.#rows++;
    for (const [column, cell] of cells.entries()) {
      const shape = shapeOf(cell);
      if (isValueShape(shape)) this.#values[column] = (this.#values[column] ?? 0) + 1;
      if (shape === 'date') this.#dates[column] = (this.#dates[column] ?? 0) + 1;
    }
  }

  /** `below`: the rows behind it. */
  endsAt(row: SampleRow, below: readonly SampleRow[]): boolean {
    const width = this.#header.length;
    if (this.#rows < MIN_ROWS || below.length < 2 || filledCount(row) < width || row.cells.length > width) return false;
    const cells = row.cells.map(plain);
    if (new Set(cells).size < width || cells.some((cell) => isValueShape(shapeOf(cell)))) return false;
    if (cells.every((cell, column) => isPartOf(cell, this.#header[column] ?? ''))) return false;
    if (cells.filter((cell) => this.#header.includes(cell)).length >= 2) return true;
    const values = this.#always(this.#values);
    const dates = this.#always(this.#dates);
    const foreign = below.findIndex((next) => !this.#isForeign(next, values, dates));
    const following = foreign === -1 ? below.length : foreign;
    if (values.length < MIN_WITH_DATE) return false;
    return following >= (dates.length > 0 || values.length >= MIN_VALUES ? 2 : MIN_FOREIGN);
  }

  #always(counts: readonly number[]): number[] {
    return counts.flatMap((count, column) => (count >= this.#rows * ALWAYS ? [column] : []));
  }

  #isForeign({ cells }: SampleRow, values: readonly number[], dates: readonly number[]): boolean {
    const shapes = cells.map(shapeOf);
    return (
      values.some((column) => shapes[column] === 'text') ||
      dates.some((column) => shapes[column] !== 'date' && shapes[column] !== 'empty' && shapes[column] !== 'marker')
    );
  }
}

/** A header that comes again; of one over several rows, its last row. */
function isPartOf(cell: string, name: string): boolean {
  return cell === name || name.endsWith(` ${cell}`);
}

export function plain(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}
