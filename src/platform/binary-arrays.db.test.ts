import { expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { int4Array, int8Array, jsonArray } from './binary-arrays.ts';

const db = useDatabase();

it('arrays in binary arrive as they were given, nulls, large and negative numbers and letters of every length included', async () => {
  const documents = ['{"a": "é😀\\n\\"x\\""}', null, '[]', `"${'ä'.repeat(5_000)}"`];
  const numbers = [0, -1, 1, 2 ** 31 - 1, -(2 ** 31)];
  const large = [0, -1, null, 2 ** 48 - 1, 2 ** 32, -(2 ** 40) - 5];
  const { rows } = await db.admin.query(
    `select to_json($1::int[]) as numbers, to_json($2::bigint[]) as large, to_json($3::jsonb[]) as documents, to_json($5::json[]) as texts,
            cardinality($4::int[]) as none`,
    [int4Array(numbers), int8Array(large), jsonArray('jsonb', documents), int4Array([]), jsonArray('json', documents)],
  );
  const read = documents.map((each) => (each === null ? null : JSON.parse(each)));
  expect(rows).toEqual([{ numbers, large, documents: read, texts: read, none: 0 }]);
});
