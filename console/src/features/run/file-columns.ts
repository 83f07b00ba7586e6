// Which columns the rows of a file have: every field that holds something, in the order of the kit, then in the order the server gives them.
import type { RowColumns } from '../../pipelines/kit.ts';
import type { FileRow } from './list-file-rows.ts';

export interface FileColumn {
  readonly name: string;
  readonly label: string;
  readonly isFigure: boolean;
}

type Rows = readonly Pick<FileRow, 'cells'>[];

export function fileColumns(rows: Rows, columns?: RowColumns): FileColumn[] {
  const isFigure = (name: string) => columns?.isFigure(name) ?? holdsFigures(rows, name);
  return [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))]
    .filter((name) => rows.some(({ cells }) => !isEmpty(cells[name])))
    .map((name) => ({
      name,
      label: columns?.words[name] ?? name.replaceAll('_', ' '),
      isFigure: isFigure(name),
    }))
    .sort((a, b) => rank(a.name, columns) - rank(b.name, columns));
}

function rank(name: string, columns: RowColumns | undefined): number {
  const known = columns === undefined ? -1 : Object.keys(columns.words).indexOf(name);
  if (name === columns?.last) return 2_000;
  return known >= 0 ? known : 1_000;
}

/** Of a pipeline that says nothing about its columns: figures are what looks like figures throughout. */
function holdsFigures(rows: Rows, name: string): boolean {
  return rows.every(({ cells }) => isEmpty(cells[name]) || /^-?\d+(?:\.\d+)?$/.test(cells[name] ?? ''));
}

function isEmpty(value: string | null | undefined): boolean {
  return value === null || value === undefined || value === '';
}
