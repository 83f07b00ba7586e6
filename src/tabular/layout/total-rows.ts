// Rows that add up others and stand among them as rows do: which columns tell them, as a person has said. The reader sets such rows aside.
import type { TotalColumn } from '../reading.ts';
import type { RowBatch } from '../row-batch.ts';
import type { TotalLabels } from './total-words.ts';

export class TotalRows {
  readonly #columns: readonly {
    readonly index: number;
    readonly values: ReadonlySet<string>;
    readonly labels: boolean;
  }[];
  readonly #labels: TotalLabels;

  constructor(names: readonly string[], columns: readonly TotalColumn[], labels: TotalLabels) {
    this.#labels = labels;
    this.#columns = columns.flatMap(({ column, values, labels: byLabel }) => {
      const index = names.indexOf(column);
      return index === -1 ? [] : [{ index, values: new Set(values), labels: byLabel }];
    });
  }

  has(batch: RowBatch, row: number): boolean {
    for (const { index, values, labels } of this.#columns) {
      const text = batch.text(row, index).trim();
      if (values.has(text) || (labels && text !== '' && this.#labels.namesGroup(text))) return true;
    }
    return false;
  }
}
