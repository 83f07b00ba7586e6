import { describe, expect, it } from 'vitest';
import { detectHeader, headerAt } from './detect-header.ts';
import type { SampleRow } from './sample-row.ts';

const rows = (...cells: string[][]): SampleRow[] => cells.map((row, index) => ({ line: index + 1, cells: row }));
const unknown = () => false;
const known =
  (...names: string[]) =>
  (name: string) =>
    names.includes(name.trim().toLowerCase());

describe('finding the header', () => {
  it('is the first full row of texts above rows with values', () => {
    const found = detectHeader(rows(['Report'], ['Jan – Feb'], ['Name', 'Cost'], ['A', '1.5'], ['B', '2']), unknown);
    expect(found).toMatchObject({
      confidence: 'exact',
      value: { lines: [3], names: ['Name', 'Cost'], skippedRows: 3 },
    });
  });

  it('is the row with the most known names wherever it stands', () => {
    const table = rows(['Some', 'words', 'here'], ['Cost', 'x', 'y'], ['Campaign', 'Day', 'Cost'], ['a', 'b', 'c']);
    expect(detectHeader(table, known('campaign', 'day', 'cost'))).toMatchObject({
      confidence: 'exact',
      value: { lines: [3] },
    });
  });

  it('is absent when the first full row holds values like those below', () => {
    const found = detectHeader(rows(['A', '2024-01-05', '3'], ['B', '2024-01-06', '4']), unknown);
    expect(found).toMatchObject({
      confidence: 'likely',
      value: { lines: [], names: ['Column 1', 'Column 2', 'Column 3'] },
    });
  });

  it('is only guessed when texts stand over texts', () => {
    expect(detectHeader(rows(['Egon', 'Linz'], ['Anna', 'Ulm'], ['Bert', 'Bonn']), unknown)).toMatchObject({
      confidence: 'guess',
      value: { lines: [1] },
    });
  });

  it('is found in a file that has nothing else', () => {
    expect(detectHeader(rows(['Campaign', 'Day', 'Cost']), unknown)?.value.names).toEqual(['Campaign', 'Day', 'Cost']);
  });
});

describe('two header rows', () => {
  it('takes group titles above the names as part of the header', () => {
    const table = rows(
      ['Campaign', '', 'Performance', ''],
      ['Name', 'Day', 'Clicks', 'Cost'],
      ['A', '2024-01-05', '3', '4.5'],
    );
    expect(detectHeader(table, unknown)?.value).toMatchObject({
      lines: [1, 2],
      names: ['Campaign Name', 'Campaign Day', 'Performance Clicks', 'Performance Cost'],
      skippedRows: 2,
    });
    // Names that the caller knows need no group: mappings that were saved for them still fit.
    expect(detectHeader(table, known('name', 'day', 'clicks', 'cost'))?.value.names).toEqual([
      'Name',
      'Day',
      'Clicks',
      'Cost',
    ]);
  });

  it('puts the group before names that occur twice', () => {
    const table = rows(
      ['', 'Clicks', '', 'Cost', ''],
      ['Name', 'Now', 'Before', 'Now', 'Before'],
      ['A', '1', '2', '3', '4'],
    );
    expect(detectHeader(table, unknown)?.value.names).toEqual([
      'Name',
      'Clicks Now',
      'Clicks Before',
      'Cost Now',
      'Cost Before',
    ]);
  });

  it('takes the upper name where the lower row leaves it out', () => {
    const table = rows(['Name', 'Clicks', ''], ['', 'all', 'link'], ['A', '1', '2']);
    expect(detectHeader(table, unknown)?.value.names).toEqual(['Name', 'Clicks all', 'Clicks link']);
  });

  it('does not take a title line for a group row', () => {
    const table = rows(['Campaign report', '', ''], ['Name', 'Clicks', 'Cost'], ['A', '1', '2']);
    expect(detectHeader(table, unknown)?.value.lines).toEqual([2]);
  });
});

describe('a header the user points at', () => {
  const table = rows(['x', 'y'], ['Name', 'Cost'], ['A', '1']);

  it('is taken as it is', () => {
    expect(headerAt(table, [2])).toEqual({ lines: [2], names: ['Name', 'Cost'], skippedRows: 2 });
  });

  it('may be none at all', () => {
    expect(headerAt(table, [])).toEqual({ lines: [], names: ['Column 1', 'Column 2'], skippedRows: 0 });
  });

  it('must be in the file', () => {
    expect(headerAt(table, [9])).toBeNull();
  });
});

describe('names of columns', () => {
  it('numbers columns without a name and forgets empty ones at the end', () => {
    expect(
      detectHeader(rows(['Name', '', 'Cost', '', ''], ['A', 'x', '1', '', ''], ['B', 'y', '2', '', '']), unknown)?.value
        .names,
    ).toEqual(['Name', 'Column 2', 'Cost']);
  });
});
