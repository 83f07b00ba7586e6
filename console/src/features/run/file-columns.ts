// Which columns the rows of a file have: every field that holds something, in the order the server gives them.
import type { FileRow } from './list-file-rows.ts';

const words: Readonly<Record<string, string>> = {
  metric_date: 'Day',
  campaign: 'Campaign',
  ad_set: 'Ad set',
  ad: 'Ad',
  currency: 'Cur.',
  case_number: 'Case',
  county: 'County',
  plaintiff_name: 'Plaintiff',
  defendant_name: 'Defendant',
  judgment_amount: 'Amount',
  filing_date: 'Filed',
};

/** Fields that are named by words; everything else of an export is a measure. */
const texts: ReadonlySet<string> = new Set([...Object.keys(words), 'email', 'phone', 'address']);

export interface FileColumn {
  readonly name: string;
  readonly label: string;
  readonly isFigure: boolean;
}

export function fileColumns(rows: readonly Pick<FileRow, 'cells'>[]): FileColumn[] {
  const names = new Set(
    rows.flatMap(({ cells }) => Object.keys(cells).filter((name) => cells[name] !== null && cells[name] !== '')),
  );
  const order = [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))].filter((name) => names.has(name));
  return order
    .map((name) => ({
      name,
      label: words[name] ?? name.replaceAll('_', ' '),
      isFigure: !texts.has(name) || name === 'judgment_amount',
    }))
    .sort((a, b) => rank(a.name) - rank(b.name));
}

/** Days and names first, then the figures, the currency beside them. */
function rank(name: string): number {
  const known = Object.keys(words).indexOf(name);
  return name === 'currency' ? 200 : known >= 0 ? known : 100;
}
