import { describe, expect, it } from 'vitest';
import { formatFacts, formatTable, plural } from './output.ts';

describe('what the command line writes', () => {
  it('columns are as wide as their widest cell, numbers stand to the right, lines end without spaces', () => {
    const table = formatTable(
      [
        { title: 'name', value: (row: [string, number]) => row[0] },
        { title: 'rows', value: (row) => String(row[1]), right: true },
      ],
      [
        ['Æthel', 7],
        ['b', 1_204],
      ],
    );
    expect(table).toBe('name   rows\nÆthel     7\nb      1204');
  });

  it('facts without a value are left out', () => {
    expect(
      formatFacts([
        ['run', 'x'],
        ['held', undefined],
        ['pipeline', 'ads'],
      ]),
    ).toBe('run       x\npipeline  ads');
  });

  it('a text of a file moves no cursor, names no window, breaks no line and turns nothing around; colours stay', () => {
    const evil = 'a\u001b]0;name\u0007b\u001b[2Jc\u202ed\ne\u009bf';
    expect(formatTable([{ title: 'cell', value: (text: string) => text }], [evil])).toBe(
      'cell\na\ufffd]0;name\ufffdb\ufffd[2Jc\ufffdd e\ufffdf',
    );
    expect(formatFacts([['file', `${evil}\u001b[31mred\u001b[39m`]])).toBe(
      'file  a\ufffd]0;name\ufffdb\ufffd[2Jc\ufffdd\ne\ufffdf\u001b[31mred\u001b[39m',
    );
  });

  it('one is not many', () => {
    expect([plural(1, 'run'), plural(0, 'run'), plural(1_200, 'run')]).toEqual(['1 run', '0 runs', '1,200 runs']);
  });
});
