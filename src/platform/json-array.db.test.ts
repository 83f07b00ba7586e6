import { describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { JsonArray } from './json-array.ts';

const db = useDatabase();
const texts = [
  'plain',
  '',
  'a "quoted" one',
  'back\\slash',
  Array.from({ length: 32 }, (_, code) => String.fromCharCode(code))
    .join('')
    .slice(1),
  'Zürich 東京 🎬',
  '"'.repeat(100_000),
];

describe.each(['json', 'jsonb'] as const)('arrays of documents in %s', (type) => {
  async function read(array: JsonArray): Promise<unknown> {
    const { rows } = await db.admin.query(`select to_json($1::${type}[]) as documents`, [array.toParameter()]);
    return rows[0].documents;
  }

  it('hold bytes, texts and documents as JSON has them', async () => {
    const array = new JsonArray(type);
    for (const text of texts) {
      const bytes = Buffer.from(`<${text}>`);
      array.begin();
      array.write(Buffer.from('["'));
      array.writeUtf8(bytes, 1, bytes.length - 1);
      array.write(Buffer.from('","'));
      array.writeText(text);
      array.write(Buffer.from('"]'));
      // Whichever way it was written, it is what JSON says.
      expect(array.bytes.toString('utf8', array.start, array.end)).toBe(JSON.stringify([text, text]));
      array.finish();
    }
    array.pushNull();
    array.pushJson('{"é": 1}');
    expect(await read(array)).toEqual([...texts.map((text) => [text, text]), null, { é: 1 }]);
  });

  it('hold no text that Postgres cannot hold', async () => {
    const array = new JsonArray(type);
    array.begin();
    array.write(Buffer.from('"'));
    array.writeText('a\u0000b\ud800');
    array.write(Buffer.from('"'));
    array.finish();
    expect(await read(array)).toEqual(['a\uFFFDb\uFFFD']);
  });

  it('forget a document that is dropped, and everything when they are cleared', async () => {
    const array = new JsonArray(type);
    array.pushJson('1');
    array.begin();
    array.write(Buffer.from('[2]'));
    expect(array.drop()).toBe('[2]');
    array.pushJson('3');
    expect(await read(array)).toEqual([1, 3]);
    array.clear();
    expect([array.length, array.hasDocuments]).toEqual([0, false]);
    array.pushJson('4');
    expect(await read(array)).toEqual([4]);
  });
});
