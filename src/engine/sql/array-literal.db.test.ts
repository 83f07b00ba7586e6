import { describe, expect, it } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { arrayLiteral } from './array-literal.ts';

const database = useDatabase();

const same = <T>(value: T): T => value;

async function read(values: readonly (string | null)[]): Promise<unknown> {
  const { rows } = await database.admin.query('select $1::text[] as list', [arrayLiteral(values, same)]);
  return rows[0].list;
}

describe('an array literal', () => {
  it('is read by the server as exactly the values it was made from', async () => {
    const nasty = [
      'plain',
      '',
      ' ',
      'a,b',
      '{x}',
      '"',
      '\\',
      'a"b\\c',
      'null',
      'NULL',
      'Null',
      'two\nlines',
      '\t',
      "it's",
      'ü ✨ 日本',
      '{}',
      'a@b.c',
      '1/2',
    ];
    expect(await read(nasty)).toEqual(nasty);
  });

  it('keeps nulls between values', async () => {
    expect(await read([null, 'a', null, 'b'])).toEqual([null, 'a', null, 'b']);
  });

  it('is empty when there is nothing but nulls, and unnest fills it up beside a longer one', async () => {
    expect(arrayLiteral([null, null], same)).toBe('{}');
    const { rows } = await database.admin.query('select * from unnest($1::text[], $2::text[]) as g (a, b)', [
      arrayLiteral(['x', 'y'], same),
      arrayLiteral([null, null], same),
    ]);
    expect(rows).toEqual([
      { a: 'x', b: null },
      { a: 'y', b: null },
    ]);
  });

  it('carries JSON and times unharmed', async () => {
    const json = JSON.stringify({ a: 'x "y" \\ {z}, ü', n: null });
    const { rows } = await database.admin.query('select ($1::jsonb[])[1] as j, ($2::timestamptz[])[1] as t', [
      arrayLiteral([json], same),
      arrayLiteral(['2026-02-01T10:11:12.345Z'], same),
    ]);
    expect(rows[0]).toEqual({ j: JSON.parse(json), t: new Date('2026-02-01T10:11:12.345Z') });
  });
});
