// Lines between the rows of a table that are no rows: comments and the numbers of pages. They are set aside and counted; where one looks like a row
// that was taken out, somebody is asked.
import { describe, expect, it } from 'vitest';
import { allRows, textSource } from '../../test/support/tables.ts';
import { openTable, readTable } from './read-table.ts';
import { doubtsOfFindings, SetAsideWatch } from './set-aside-watch.ts';

async function read(...lines: string[]) {
  const table = await readTable(textSource(`${lines.join('\n')}\n`));
  const rows = await allRows(table.batches());
  const watch = new SetAsideWatch(table.reading);
  for await (const batch of table.batches())
    for (let row = 0; row < batch.rowCount; row++) if (batch.kinds[row] !== 0) watch.add(batch, row);
  return {
    data: rows.filter(({ kind }) => kind === 'data').map(({ cells }) => cells.join()),
    aside: rows.filter(({ kind }) => kind === 'note').map(({ line }) => line),
    held: doubtsOfFindings(watch.findings).flatMap(({ code, holds, lines: at }) => (holds ? [[code, ...at]] : [])),
  };
}

describe('comments between rows', () => {
  it.each(['# second batch', '// not checked', '-- from the archive', '% half', '# by Ann, Bob', '  # set in'])(
    'are set aside and make no row: %s',
    async (comment) => {
      const { data, aside, held } = await read('id,name,v', '1,a,5', comment, '2,b,6', '3,c,7');
      expect([data, aside, held]).toEqual([['1,a,5', '2,b,6', '3,c,7'], [3], []]);
    },
  );

  it('are told by the blank behind their sign where the first column holds texts', async () => {
    const { data, aside } = await read('name,qty', 'Aa,1', '// Bb not checked', 'Cc,3', '# half', 'Dd,4');
    expect([data, aside]).toEqual([
      ['Aa,1', 'Cc,3', 'Dd,4'],
      [3, 5],
    ]);
  });

  it('are no rows either where short rows are filled up', async () => {
    const rows = ['1,a,5', '# half', '2,b,6', '3,c,7', '4,d,8', '5,e,9'];
    expect((await read('id,name,v,w', ...rows)).data).not.toContain('# half');
  });

  it.each([
    ['numbers', 'id,name,v', '1,a,5', '# 9,x,6', '2,b,6', '3,c,7'],
    ['numbers of cases', 'case,name,v', 'K-1,a,5', '# K-2,x,6', 'K-3,b,6', 'K-4,c,7'],
    ['days', 'day,name,v', '2024-01-01,a,5', '#2024-01-02,x,6', '2024-01-03,b,6', '2024-01-04,c,7'],
  ])('that take a row out are asked about: in a column of %s', async (_, ...lines) => {
    const { data, held } = await read(...lines);
    expect(data).toHaveLength(3);
    expect(held).toEqual([['rows_set_aside', 3]]);
  });

  it('are not seen in texts that begin so, in names of columns, in values and in what a formula left', async () => {
    expect((await read('tag,qty', 'spring,1', 'autumn,2', '#summer,3', '#winter,4')).data).toHaveLength(4);
    expect((await read('#,name', '1,a', '2,b', '3,c')).data).toHaveLength(3);
    expect((await read('v,name', '-5,a', '5,b', '--,c', '% 7,d', '8,e')).data).toHaveLength(5);
    expect((await read('id,name', '1,a', '#NAME?,b', '3,c', '#REF!,d', '5,e')).data).toHaveLength(5);
    expect((await read('name', 'Aa', '# Bb', 'Cc')).data).toHaveLength(3);
  });

  it('stay rows of a file that was read before comments were told from them', async () => {
    const source = textSource('id,name,v\n1,a,5\n# 9,x,6\n2,b,6\n3,c,7\n');
    const { reading } = await readTable(source);
    const kinds = async (rules: 1 | 2) => (await allRows(openTable(source, { ...reading, rules }).batches()))[2]?.kind;
    expect([await kinds(1), await kinds(2)]).toEqual(['data', 'note']);
  });
});

describe('numbers of pages between rows', () => {
  it.each(['Page 1 of 2', 'Seite 3', 'Página 1 de 4', 'page 2/9'])('are set aside: %s', async (page) => {
    for (const line of [page, `${page},,`]) {
      const { data, aside } = await read('id,name,v', '1,a,5', '2,b,6', line, 'id,name,v', '3,c,7');
      expect([data, aside]).toEqual([['1,a,5', '2,b,6', '3,c,7'], [4]]);
    }
  });

  it('are values where a row says more', async () => {
    expect((await read('place,name,v', 'Page 1,a,5', 'Page 2,b,6', 'Page 3,,')).data.slice(0, 2)).toEqual([
      'Page 1,a,5',
      'Page 2,b,6',
    ]);
  });
});
