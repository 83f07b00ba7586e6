import { describe, expect, it } from 'vitest';
import { allRows, ragged, seededRandom, textSource } from '../../../test/support/tables.ts';
import { bytesSource } from '../byte-source.ts';
import { defaultLimits, withLimits } from '../limits.ts';
import { readTable } from '../read-table.ts';
import { readJson } from './read-json.ts';

async function read(text: string, options: Parameters<typeof readTable>[1] = {}) {
  const table = await readTable(textSource(text), options);
  return { reading: table.reading, rows: await allRows(table.batches()) };
}

describe('records', () => {
  it('reads a list of objects; the keys are the columns', async () => {
    const { reading, rows } = await read('[{"a":"x","b":1},{"b":2,"c":true}]');
    expect(reading.header.value.names).toEqual(['a', 'b', 'c']);
    expect(rows.map((row) => row.cells)).toEqual([
      ['x', '1', ''],
      ['', '2', 'true'],
    ]);
  });

  it('reads {"data": […]} and skips what stands before and after it', async () => {
    const { reading, rows } = await read('{"meta":{"list":[1,"]"]},"data":[{"a":1},{"a":2}],"next":null}');
    expect(reading.recordsKey?.value).toBe('data');
    expect(rows.map((row) => row.cells)).toEqual([['1'], ['2']]);
  });

  it('reads the list that the user names', async () => {
    const { rows } = await read('{"data":[{"a":1}],"rows":[{"b":2}]}', { overrides: { recordsKey: 'rows' } });
    expect(rows.map((row) => row.cells)).toEqual([['2']]);
  });

  it('reads one object per line', async () => {
    const { reading, rows } = await read('{"a":1}\r\n\r\n{"a":2}\r\n{"a":3}');
    expect(reading.format).toBe('ndjson');
    expect(rows.map((row) => [row.line, row.cells[0]])).toEqual([
      [1, '1'],
      [3, '2'],
      [4, '3'],
    ]);
  });

  it('keeps every digit of a number', async () => {
    const { rows } = await read('[{"id":120210000000000123,"cost":12.340,"e":1e400}]');
    expect(rows[0]?.cells).toEqual(['120210000000000123', '12.340', '1e400']);
  });

  it('flattens objects, keeps lists as JSON and takes null as empty', async () => {
    const { reading, rows } = await read('[{"a":{"b":{"c":1},"d":"x"},"l":[1,{"y":2}],"n":null}]');
    expect(reading.header.value.names).toEqual(['a.b.c', 'a.d', 'l', 'n']);
    expect(rows[0]?.cells).toEqual(['1', 'x', '[1,{"y":2}]', '']);
  });

  it('decodes escapes and brackets inside strings', async () => {
    const { rows } = await read('[{"a":"q\\"]}\\u00e9\\\\","b":"\\n"}]');
    expect(rows[0]?.cells).toEqual(['q"]}é\\', '\n']);
  });

  it('gives every record its line and the byte at which it starts', async () => {
    const text = '[\n  {"ä":1},\n  {"ä":\n 2},{"ä":3}]';
    const bytes = Buffer.from(text);
    const { rows } = await read(text);
    expect(rows.map((row) => row.line)).toEqual([2, 3, 4]);
    expect(rows.map((row) => bytes[row.offset])).toEqual([123, 123, 123]);
  });
});

describe('bad records', () => {
  it('costs one row when a line is not JSON', async () => {
    const { rows } = await read('{"a":1}\n{"a":2}\n{"a":}\n{"a" 4}\n{"a":5}\n');
    expect(rows.map((row) => row.fault)).toEqual([null, null, 'row_json_malformed', 'row_json_malformed', null]);
  });

  it.each([
    '{"a":01}',
    '{"a":+1}',
    '{"a":1.}',
    '{"a":tru}',
    '{"a":"x\ty"}',
    '{"a":"\\q"}',
    '{"a":1,}',
    '{a:1}',
    '{"a":1}}',
  ])('does not accept %s as JSON', async (record) => {
    const { rows } = await read(`{"a":1}\n{"a":2}\n${record}\n`);
    expect(rows[2]?.fault).toBe('row_json_malformed');
  });

  it('marks records that are not objects', async () => {
    const { rows } = await read('[{"a":1},5,"x",[1],{"a":2}]');
    expect(rows.map((row) => row.fault)).toEqual([
      null,
      'row_not_an_object',
      'row_not_an_object',
      'row_not_an_object',
      null,
    ]);
  });

  it('marks a record with a key that the sample did not have', async () => {
    const records = Array.from({ length: 1_500 }, (_, i) => (i === 1_200 ? `{"a":${i},"late":1}` : `{"a":${i}}`));
    const { rows } = await read(`[${records.join(',')}]`);
    expect(rows.filter((row) => row.fault !== null).map((row) => [row.fault, row.cells[0]])).toEqual([
      ['row_unknown_key', '1200'],
    ]);
  });

  it('marks records with half a character, and takes a whole one in two escapes', async () => {
    const { rows } = await read('{"a":"\\ud83d"}\n{"a":"\\ud83d\\ude00"}\n{"a":"x"}\n');
    expect(rows.map((row) => [row.fault, row.cells[0]])).toEqual([
      ['row_encoding_invalid', '\ud83d'],
      [null, '😀'],
      [null, 'x'],
    ]);
  });

  it('marks records that hold a NUL or are not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"a":"x"}\n{"a":"\\u0000"}\n{"a":"'),
      Buffer.from([0xe9]),
      Buffer.from('"}\n{"a":"é"}\n'),
    ]);
    const rows = await allRows(
      readJson(bytesSource(bytes), {
        format: 'ndjson',
        encoding: { name: 'utf-8', bomBytes: 0 },
        columns: ['a'],
        limits: defaultLimits,
      }),
    );
    expect(rows.map((row) => row.fault)).toEqual([null, 'row_nul_byte', 'row_encoding_invalid', null]);
  });
});

describe('refused files', () => {
  it.each([
    ['cut off', '[{"a":1},{"a":2}', 'json_malformed'],
    ['cut inside a record', '[{"a":1},{"a":', 'json_malformed'],
    ['without a list', '{"a":1,"b":{"c":2}}', 'json_no_records'],
    ['with a missing colon', '{"a" [1]}', 'json_malformed'],
    ['with a bracket too many', '[{"a":1}}, {"a":2}]', 'json_malformed'],
    ['an empty list', '[]', 'empty_file'],
  ])('%s', async (_title, text, code) => {
    await expect(read(text)).rejects.toMatchObject({ code });
  });

  it('refuses 100,000 levels of nesting at once', async () => {
    await expect(read('['.repeat(100_000))).rejects.toMatchObject({ code: 'json_too_deep' });
    await expect(read(`{"a":${'{"a":'.repeat(100_000)}`)).rejects.toMatchObject({ code: 'json_too_deep' });
    await expect(read(`[{"a":${'['.repeat(100_000)}`)).rejects.toMatchObject({ code: 'json_too_deep' });
  });

  it('refuses one endless record', async () => {
    const limits = withLimits({ maxRowBytes: 1_000 });
    await expect(read(`[{"a":"${'x'.repeat(5_000)}"}]`, { limits })).rejects.toMatchObject({ code: 'line_too_long' });
    await expect(read(`{"a":1}\n{"a":"${'x'.repeat(5_000)}"}\n`, { limits })).rejects.toMatchObject({
      code: 'line_too_long',
    });
  });
});

describe('chunks and checkpoints', () => {
  const text = `{"data":[\n${Array.from({ length: 300 }, (_, i) => `{"id": ${i}, "name": "näme ${i} ]}"}`).join(',\n')}\n]}`;

  it('reads the same rows however the chunks are cut', async () => {
    const whole = (await read(text)).rows;
    const random = seededRandom(5);
    const table = await readTable(ragged(Buffer.from(text), random, 20), { batchBytes: 200 });
    expect(await allRows(table.batches())).toEqual(whole);
    expect(whole).toHaveLength(300);
  });

  it.each(['utf8', 'utf16le'] as const)('goes on after any batch (%s)', async (encoding) => {
    const bytes =
      encoding === 'utf8' ? Buffer.from(text) : Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, encoding)]);
    const table = await readTable(bytesSource(bytes, 500), { batchBytes: 700 });
    const whole = await allRows(table.batches());
    let batches = 0;
    for await (const batch of table.batches()) {
      if (++batches > 5) break;
      const rest = await allRows(table.batches(batch.next));
      expect(rest.map((row) => row.cells)).toEqual(whole.slice(batch.next.row).map((row) => row.cells));
    }
    expect(batches).toBeGreaterThan(3);
  });
});
