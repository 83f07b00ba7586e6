// Files whose titles, names, totals and second tables hold what the database cannot: a NUL or half a character. For every pipeline that reads tables.

const NUL = String.fromCharCode(0);
const HALF = '\\ud800';

export interface UnstorableFile {
  /** What of it holds them. */
  readonly where: string;
  readonly filename: string;
  readonly text: string;
}

/** `names` and `rows` as the pipeline wants them, as cells; the file itself is worth reading. */
export function unstorableFiles(names: readonly string[], rows: readonly (readonly string[])[]): UnstorableFile[] {
  const line = (cells: readonly string[]) => cells.join(',');
  const blank = names.slice(1).map(() => '');
  const table = [line(names), ...rows.map(line)].join('\n');
  const record = (row: readonly string[]) =>
    JSON.stringify({ ...Object.fromEntries(names.map((name, i) => [name, row[i]])), 'NUL-': 'x', 'HALF-': 'y' })
      .replace('NUL-', '\\u0000odd')
      .replace('HALF-', `${HALF}half`);
  const records = rows.map(record);
  const second = [`City,Mayor${NUL},Party`, 'Aa,Bb,P', 'Cc,Dd,P', 'Ee,Ff,P'].join('\n');
  const asCsv = { filename: 'export.csv' };
  const asJson = { filename: 'export.json' };
  return [
    { where: 'a title above the names', ...asCsv, text: `Report of${NUL} March\n\n${table}\n` },
    { where: 'a total', ...asCsv, text: `${table}\n${line([`Total${NUL}`, ...blank])}\n` },
    { where: 'a note', ...asCsv, text: `${table}\n\nSource: made${NUL} up\n` },
    { where: 'the names of a second table', ...asCsv, text: `${table}\n\n${second}\n` },
    { where: 'keys of JSON', ...asJson, text: `[${records.join(',')}]` },
    { where: 'keys of JSON lines', filename: 'export.ndjson', text: `${records.join('\n')}\n` },
    {
      where: 'the key of a second list',
      ...asJson,
      text: `{"data":[${records.join(',')}],"${HALF}\\u0000more":[{"a":1},{"a":2}]}`,
    },
  ];
}
