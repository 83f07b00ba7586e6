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

  it('reads {"data": […]} beside other values', async () => {
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

describe('what stands beside the list', () => {
  async function spansOf(text: string, batchBytes?: number) {
    const table = await readTable(textSource(text), batchBytes === undefined ? {} : { batchBytes });
    const spans = [];
    for await (const batch of table.batches()) spans.push(...batch.spans);
    return { reading: table.reading, spans };
  }
  const texts = (text: string, spans: readonly { from: number; to: number }[]) =>
    spans.map(({ from, to }) => Buffer.from(text).toString('utf8', from, to));

  it('is told with its bytes, and lists with their records', async () => {
    const text = '{"ü":1,"data":[{"a":1},{"a":2}],\n"more":[{"b":1}],"none":[],"next":null}';
    const { spans } = await spansOf(text);
    expect(texts(text, spans)).toEqual(['"ü":1', '[{"b":1}]', '[]', '"next":null']);
    expect(spans.map(({ reason, rows, line }) => [reason, rows, line])).toEqual([
      ['note', 0, 1],
      ['other_table', 1, 2],
      ['note', 0, 2],
      ['note', 0, 2],
    ]);
  });

  it.each([
    ['a second list', '[{"a":1},{"a":2}]\n[{"a":3}]', '[{"a":3}]'],
    ['a second object', '[{"a":1},{"a":2}] {"a":3}', '{"a":3}'],
    ['a sibling list', '{"data":[{"a":1},{"a":2}],"more":[{"a":3}]}', '[{"a":3}]'],
  ])('raises a doubt when it is %s', async (_title, text, other) => {
    const { reading, spans } = await spansOf(text);
    expect(reading.doubts).toMatchObject([{ code: 'other_table', rowsAtStake: 1 }]);
    expect(texts(text, spans)).toEqual([other]);
    expect(reading.recordsKey?.confidence).not.toBe(reading.doubts?.[0]?.answers.length === 2 ? 'exact' : null);
  });

  it('is told once, in whatever pieces the file is read, and again when reading goes on from a batch before it', async () => {
    const records = Array.from({ length: 200 }, (_, i) => `{"id":${i}}`).join(',');
    const text = `{"meta":{"n":1},"data":[${records}],"more":[${records}],"end":"x"}`;
    const table = await readTable(textSource(text), { batchBytes: 300 });
    const told: string[] = [];
    for await (const batch of table.batches()) {
      told.push(...batch.spans.map(({ text: start }) => start.slice(0, 6)));
      if (batch.isLast) continue;
      const rest: string[] = [];
      for await (const later of table.batches(batch.next))
        rest.push(...later.spans.map(({ text: start }) => start.slice(0, 6)));
      expect([...told, ...rest]).toEqual(['"meta"', '[{"id"', '"end":']);
    }
    expect(told).toEqual(['"meta"', '[{"id"', '"end":']);
  });

  it('takes the list with the most records, not the first one', async () => {
    const { reading } = await spansOf('{"errors":[],"codes":[1,2,3],"rows":[{"a":1}]}');
    expect(reading.recordsKey?.value).toBe('rows');
  });
});

describe('ambiguous records', () => {
  it.each([
    ['a key twice', '{"a":1,"a":2}'],
    ['a dotted key beside the object it spells', '{"a.b":1,"a":{"b":2}}'],
    ['an object and a value of one name', '{"a":{"b":1},"a":3}'],
  ])('with %s are refused, the others read', async (_title, record) => {
    const { rows } = await read(`[{"a":7,"a.b":8},${record},{"a":9}]`);
    expect(rows.map((row) => row.fault)).toEqual([null, 'row_key_repeated', null]);
  });

  it('does not mind equal keys in different objects', async () => {
    const { rows } = await read('[{"a":{"id":1},"b":{"id":2},"l":[{"id":3},{"id":4}]}]');
    expect(rows.map((row) => row.fault)).toEqual([null]);
  });
});

describe('missing brackets and commas', () => {
  it.each([
    ['a comma too many', '[{"a":1},,{"a":2}]', 9],
    ['a comma at the start', '{"data":[,{"a":1}]}', 9],
    ['a comma at the end', '[{"a":1},]', 9],
    ['a missing comma', '[{"a":1} {"a":2}]', 9],
    ['a missing comma between keys', '{"n":1 "data":[{"a":1}]}', 7],
    ['a missing bracket inside a record', '[{"a":{"b":1},{"a":2}]', 14],
    ['a bracket of the other kind', '[{"a":[1,2},{"a":3}]', 10],
    ['a list that is not closed', '[{"a":1}', 8],
    ['an object that is not closed', '{"data":[{"a":1}]', 17],
    ['text behind the end', '{"data":[{"a":1}]} trailing', 19],
  ])('%s refuses the file where it is', async (_title, text, offset) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'json_malformed', params: { offset } });
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
