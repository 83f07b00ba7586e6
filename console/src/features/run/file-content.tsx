// What the file consists of: every byte of it (of a workbook every cell) is a row, the header, a set-aside line or structure.
import type { ReactNode } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { count } from '../../ui/figures.ts';

type Content = NonNullable<NonNullable<RunDetail['receipt']>['content']>;

const words: Readonly<Record<string, string>> = {
  row: 'in rows',
  header: 'header',
  blank: 'blank lines',
  title: 'titles',
  note: 'notes',
  total: 'totals',
  repeated_header: 'repeated headers',
  other_table: 'other tables',
  other_sheet: 'other sheets',
  structure: 'structure',
};

export function FileContent({ content }: { content: Content }): ReactNode {
  const unit = content.cells === undefined ? 'bytes' : 'cells';
  const { all = 0, ...parts } = content[unit] ?? {};
  const named = Object.entries(parts).sort(([, a], [, b]) => b - a);
  return (
    <p className="text-xs text-ink-2">
      <span className="figures">{count(all)}</span> {unit} of the file ={' '}
      {named.map(([name, amount]) => `${count(amount)} ${words[name] ?? name}`).join(' + ')}
    </p>
  );
}
