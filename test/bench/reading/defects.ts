// What goes wrong with exports, one function per kind. A defect changes a document in place and belongs to a layer; a mixture takes at
// most one of each layer, so that they can be combined in any number.
import type { Random } from '../../chaos/random.ts';
import type { Document, Line } from './document.ts';
import { makeTable, makeText } from './table.ts';

export type Layer =
  | 'names'
  | 'header'
  | 'above'
  | 'middle'
  | 'below'
  | 'row'
  | 'dialect'
  | 'lines'
  | 'encoding'
  | 'cells';

export interface Defect {
  readonly name: string;
  readonly layer: Layer;
  /** How often it is met in the wild, against the others of its layer; 1 unless told. */
  readonly weight?: number;
  apply(document: Document, random: Random): void;
}

const blank: Line = { cells: null, raw: '' };
const bare = (cells: readonly string[]): Line => ({ cells, isBare: true });
const width = ({ table }: Document) => table.names.length;
const padded = (cells: readonly string[], length: number) => [
  ...cells,
  ...Array<string>(Math.max(0, length - cells.length)).fill(''),
];

function rename(document: Document, names: string[]): void {
  document.table = { ...document.table, names };
  document.headers = [names];
  document.header = [{ cells: names }];
}

const years = (random: Random, count: number) => {
  const first = random.between(1995, 2018);
  return Array.from({ length: count }, (_, i) => String(first + i));
};

export const nameDefects: readonly Defect[] = [
  {
    name: 'year-names',
    layer: 'names',
    weight: 2,
    apply(document, random) {
      const { numeric, names } = document.table;
      const found = years(random, numeric.length);
      rename(
        document,
        names.map((name, column) => (numeric.includes(column) ? (found[numeric.indexOf(column)] ?? name) : name)),
      );
    },
  },
  {
    name: 'coded-names',
    layer: 'names',
    apply(document, random) {
      const codes = random.pick([
        ['ROI30', 'TOP10', 'Q1', 'Q2', 'P95'],
        ['1st', '2nd', '3rd', '4th', '5th'],
        ['<18', '18-24', '25-34', '35+', '65+'],
        ['% men', '% women', '# cases', '$ total', 'N/A'],
      ]);
      const { numeric, names } = document.table;
      rename(
        document,
        names.map((name, column) => (numeric.includes(column) ? (codes[numeric.indexOf(column)] ?? name) : name)),
      );
    },
  },
  {
    name: 'stray-quote-in-header',
    layer: 'names',
    apply(document, random) {
      const { names } = document.table;
      const at = random.between(1, names.length - 1);
      const odd = random.pick(['height in 5" steps', 'size (")', 'the "usual" name', 'screen 15" or more']);
      rename(
        document,
        names.map((name, column) => (column === at ? odd : name)),
      );
      document.header = [bare(document.table.names)];
    },
  },
  {
    name: 'blank-names',
    layer: 'names',
    apply(document, random) {
      const { names } = document.table;
      const at = random.between(0, names.length - 1);
      rename(
        document,
        names.map((name, column) => (column === at ? '' : name)),
      );
    },
  },
];

export const headerDefects: readonly Defect[] = [
  {
    name: 'header-narrower',
    layer: 'header',
    apply(document, random) {
      const { names } = document.table;
      const kept = names.slice(0, Math.max(1, names.length - random.between(1, 2)));
      document.headers = [kept];
      document.header = [{ cells: kept }];
    },
  },
  {
    name: 'rows-end-with-delimiters',
    layer: 'header',
    apply(document, random) {
      const extra = random.between(1, 3);
      document.data = document.data.map((line) => ({
        cells: padded(line.cells ?? [], (line.cells ?? []).length + extra),
      }));
    },
  },
  {
    name: 'header-wider',
    layer: 'header',
    apply(document) {
      document.header = [{ cells: [...document.table.names, ''] }];
    },
  },
  {
    name: 'header-names-a-column-that-is-missing',
    layer: 'header',
    apply(document) {
      const names = [...document.table.names, 'Notes'];
      document.headers = [names, document.table.names];
      document.header = [{ cells: names }];
    },
  },
  {
    name: 'group-row-above',
    layer: 'header',
    weight: 2,
    apply(document, random) {
      const names = [...document.table.names];
      const groups = years(random, 4);
      const inner = random.pick([
        ['men', 'women'],
        ['count', 'share'],
        ['min', 'mean', 'max'],
      ]);
      const from = Math.min(names.length - 1, random.between(1, 2));
      const upper = names.map((_, column) =>
        column >= from && (column - from) % inner.length === 0
          ? (groups[Math.floor((column - from) / inner.length)] ?? 'other')
          : '',
      );
      const lower = names.map((name, column) =>
        column < from ? name : (inner[(column - from) % inner.length] ?? name),
      );
      let group = '';
      const joined = names.map((_, column) => {
        if ((upper[column] ?? '') !== '') group = upper[column] ?? '';
        return column < from ? (lower[column] ?? '') : `${group} ${lower[column]}`;
      });
      document.table = { ...document.table, names: joined };
      document.headers = [joined];
      document.header = [{ cells: upper }, { cells: lower }];
    },
  },
  {
    name: 'header-of-three-to-five-rows',
    layer: 'header',
    apply(document, random) {
      const levels = random.between(3, 5);
      const parts = document.table.names.map((name) => [
        ...Array.from({ length: levels - 1 }, () => makeText(random, 'department')),
        name,
      ]);
      const joined = parts.map((part) => part.join(' '));
      // A name that stands twice, one above the other, may be said once.
      const once = parts.map((part) => part.filter((name, level) => name !== part[level - 1]).join(' '));
      document.table = { ...document.table, names: joined };
      document.headers = [joined, once];
      document.header = Array.from({ length: levels }, (_, level) => ({
        cells: parts.map((part) => part[level] ?? ''),
      }));
    },
  },
  {
    name: 'units-row',
    layer: 'header',
    apply(document, random) {
      const { names, numeric } = document.table;
      const units = random.pick([
        ['(km)', '(h)', '(kg)'],
        ['m', 's', 'EUR'],
        ['[mm]', '[%]', '[n]'],
      ]);
      const row = names.map((_, column) => (numeric.includes(column) ? random.pick(units) : ''));
      document.headers = [names, names.map((name, column) => `${name} ${row[column]}`.trim())];
      document.header = [{ cells: names }, { cells: row }];
    },
  },
  {
    name: 'no-header',
    layer: 'header',
    apply(document) {
      document.headers = [[]];
      document.header = [];
    },
  },
];

export const aboveDefects: readonly Defect[] = [
  {
    name: 'title',
    layer: 'above',
    weight: 2,
    apply(document, random) {
      document.top = [bare([`Report of ${makeText(random, 'department')}`]), ...(random.chance(0.5) ? [blank] : [])];
    },
  },
  {
    name: 'title-padded-to-the-width',
    layer: 'above',
    weight: 2,
    apply(document, random) {
      const cells = padded(
        [makeText(random, 'department'), ...(random.chance(0.3) ? [String(random.between(1999, 2023))] : [])],
        width(document),
      );
      document.top = [{ cells }, ...(random.chance(0.6) ? [{ cells: padded([], width(document)) }] : [])];
    },
  },
  {
    name: 'title-with-delimiters',
    layer: 'above',
    apply(document, random) {
      const cells = padded(['Report', ' all regions', ` ${random.between(2001, 2023)}`], width(document));
      document.top = [bare(cells.slice(0, Math.max(3, random.between(3, width(document))))), blank];
    },
  },
  {
    name: 'block-of-facts-above',
    layer: 'above',
    apply(document, random) {
      document.top = [
        { cells: ['Title', makeText(random, 'department')] },
        { cells: ['Created by', makeText(random, 'person')] },
        { cells: ['Period', `${random.between(2001, 2010)} to ${random.between(2011, 2023)}`] },
        ...(random.chance(0.7) ? [blank] : []),
      ];
    },
  },
  {
    name: 'lines-of-prose',
    layer: 'above',
    apply(document, random) {
      document.top = Array.from({ length: random.between(2, 8) }, () => ({
        cells: null,
        raw: makeText(random, 'sentence'),
      }));
    },
  },
  {
    name: 'comment-lines',
    layer: 'above',
    apply(document, random) {
      document.top = Array.from({ length: random.between(1, 6) }, () => ({
        cells: null,
        raw: `# ${makeText(random, 'sentence')}`,
      }));
    },
  },
  {
    name: 'sep-line',
    layer: 'above',
    apply(document) {
      if (document.writing.delimiter.length === 1)
        document.top = [{ cells: null, raw: `sep=${document.writing.delimiter}` }];
    },
  },
  {
    name: 'narrower-table-above',
    layer: 'above',
    apply(document, random) {
      const rows = random.between(2, Math.max(2, Math.min(12, document.data.length >> 1)));
      document.top = [
        { cells: ['year', 'total'] },
        ...Array.from({ length: rows }, (_, i) => ({ cells: [String(2000 + i), String(random.between(10, 9999))] })),
        blank,
      ];
    },
  },
];

export const middleDefects: readonly Defect[] = [
  {
    name: 'repeated-header',
    layer: 'middle',
    apply(document, random) {
      const at = random.between(1, Math.max(1, document.data.length - 1));
      const header = document.header.at(-1);
      if (header !== undefined) document.data.splice(at, 0, header);
    },
  },
  {
    name: 'note-below-header',
    layer: 'middle',
    apply(document, random) {
      const note = random.pick(['(in thousands)', 'all figures are provisional', '* see notes']);
      document.data.unshift(random.chance(0.5) ? bare([note]) : { cells: padded([note], width(document)) });
    },
  },
  {
    name: 'blank-lines',
    layer: 'middle',
    apply(document, random) {
      for (let i = random.between(1, 4); i > 0; i--) {
        const at = random.between(0, document.data.length);
        document.data.splice(at, 0, random.chance(0.5) ? blank : { cells: padded([], width(document)) });
      }
    },
  },
];

const totalRow = (document: Document, label: string, column: number): Line => {
  const { names, numeric, rows } = document.table;
  const cells = names.map((_, index) => {
    if (index === column) return label;
    if (!numeric.includes(index)) return '';
    return String(Math.round(rows.reduce((sum, row) => sum + Number(row[index] ?? 0), 0) * 100) / 100);
  });
  return { cells };
};

export const belowDefects: readonly Defect[] = [
  {
    name: 'footers',
    layer: 'below',
    weight: 2,
    apply(document, random) {
      const notes = [
        `Source: ${makeText(random, 'department')}`,
        '* provisional',
        `Generated ${random.between(1, 28)} May`,
        'n.a. = not available',
      ];
      const lines = notes
        .slice(0, random.between(1, 4))
        .map((note) => (random.chance(0.5) ? bare([note]) : { cells: padded([note], width(document)) }));
      document.bottom = [...(random.chance(0.6) ? [blank] : []), ...lines];
    },
  },
  {
    name: 'total',
    layer: 'below',
    apply(document, random) {
      if (document.table.numeric.length === 0) return;
      document.bottom = [totalRow(document, random.pick(['Total', 'TOTAL', 'Grand total', 'Total:', 'Summe']), 0)];
    },
  },
  {
    name: 'totals-in-second-column',
    layer: 'below',
    apply(document) {
      if (document.table.numeric.length === 0 || document.table.numeric.includes(1)) return;
      document.bottom = [totalRow(document, 'Total: account', 1), totalRow(document, 'Total: search', 1)];
    },
  },
  {
    name: 'total-that-is-data',
    layer: 'below',
    apply(document, random) {
      // A list of measures by name, in which one is called a total.
      const names = ['Measure', random.pick(['Value', 'Count', '2020'])];
      const rows = ['Births', 'Deaths', 'Total', 'Marriages', 'Net migration', 'Divorces'].map((name) => [
        name,
        String(random.between(10, 90000)),
      ]);
      document.table = { names, rows, numeric: [1] };
      document.headers = [names];
      document.header = [{ cells: names }];
      document.data = rows.map((cells) => ({ cells }));
    },
  },
  {
    name: 'second-table',
    layer: 'below',
    apply(document, random) {
      const other = makeTable(random, { min: 2, max: Math.max(3, Math.min(8, document.data.length >> 2)) });
      document.bottom = [blank, { cells: other.names }, ...other.rows.map((cells) => ({ cells }))];
    },
  },
];

export const cellDefects: readonly Defect[] = [
  {
    name: 'empty-markers',
    layer: 'cells',
    weight: 2,
    apply(document, random) {
      const marker = random.pick(['\\N', 'NULL', '#N/A', '..', '-', 'n.a.']);
      replaceSome(document, random, () => marker, 0.15);
    },
  },
  {
    name: 'breaks-in-cells',
    layer: 'cells',
    apply: (document, random) =>
      replaceSome(document, random, (cell) => `${cell}\n${makeText(random, 'sentence')}`, 0.05, true),
  },
  {
    name: 'quotes-in-cells',
    layer: 'cells',
    apply: (document, random) =>
      replaceSome(document, random, (cell) => `the "${cell}" of ${makeText(random, 'city')}`, 0.1, true),
  },
  {
    name: 'apostrophes-in-cells',
    layer: 'cells',
    apply: (document, random) =>
      replaceSome(document, random, (cell) => `${cell} o'${makeText(random, 'city')}`, 0.2, true),
  },
  {
    name: 'delimiters-in-cells',
    layer: 'cells',
    apply: (document, random) =>
      replaceSome(document, random, (cell) => `${cell}${document.writing.delimiter} and so on`, 0.2, true),
  },
  {
    name: 'other-delimiters-in-every-cell',
    layer: 'cells',
    apply: (document, random) => replaceSome(document, random, (cell) => `${cell}/${random.between(1, 9)}:30`, 1, true),
  },
  {
    name: 'half-of-the-cells-empty',
    layer: 'cells',
    apply: (document, random) => replaceSome(document, random, () => '', 0.5),
  },
];

function replaceSome(
  document: Document,
  random: Random,
  change: (cell: string) => string,
  share: number,
  onlyText = false,
): void {
  const { numeric } = document.table;
  const rows = document.table.rows.map((row) =>
    row.map((cell, column) => {
      const isChanged = column > 0 && cell !== '' && !(onlyText && numeric.includes(column)) && random.chance(share);
      return isChanged ? change(cell) : cell;
    }),
  );
  document.table = { ...document.table, rows };
  document.data = rows.map((cells) => ({ cells }));
}
