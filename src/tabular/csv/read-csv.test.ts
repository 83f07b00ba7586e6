import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { allRows, ragged, seededRandom, textSource } from '../../../test/support/tables.ts';
import { bytesSource, fileSource } from '../byte-source.ts';
import { defaultLimits } from '../limits.ts';
import { commaDialect } from './dialect.ts';
import { readCsv } from './read-csv.ts';

const utf8 = { name: 'utf-8', bomBytes: 0 };
const options = { encoding: utf8, dialect: commaDialect, limits: defaultLimits };

describe('places of rows', () => {
  it('gives every row the byte at which it starts', async () => {
    const text = 'näme,b\n"quoted\nline",2\nlast,3\n';
    const bytes = Buffer.from(text);
    const read = await allRows(readCsv(bytesSource(bytes), options));
    expect(read.map((row) => bytes.subarray(row.offset).toString().slice(0, 4))).toEqual(['näme', '"quo', 'last']);
  });

  it('counts offsets from the start of the file also behind a byte order mark', async () => {
    const read = await allRows(
      readCsv(textSource('\uFEFFa\nb\n'), { ...options, encoding: { name: 'utf-8', bomBytes: 3 } }),
    );
    expect(read.map((row) => [row.offset, row.cells[0]])).toEqual([
      [3, 'a'],
      [5, 'b'],
    ]);
  });

  it.each(['utf-16le', 'utf-16be', 'windows-1252', 'shift_jis', 'gb18030', 'euc-kr'])(
    'gives the offset in the original bytes of %s, not in the converted ones',
    async (name) => {
      const text = name.startsWith('windows') ? 'é,1\r\n"é\r\né",2\r\nü,3\r\n' : 'a中,1\r\n"中\r\n文",2\r\n本,3\r\n';
      const bytes = iconv.encode(name === 'euc-kr' ? text.replace(/[中文本]/g, '한') : text, name);
      const read = await allRows(
        readCsv(ragged(bytes, seededRandom(7), 5), { ...options, encoding: { name, bomBytes: 0 } }),
      );
      expect(read.map((row) => row.line)).toEqual([1, 2, 4]);
      for (const row of read) {
        const rest = iconv.decode(bytes.subarray(row.offset), name);
        expect(rest.replace('"', '').startsWith(row.cells[0] ?? '?')).toBe(true);
      }
    },
  );
});

describe('going on from a checkpoint', () => {
  it.each(['utf-8', 'utf-16le', 'shift_jis'])(
    'reads the same rows after any batch of %s as in one go',
    async (name) => {
      const text = Array.from({ length: 400 }, (_, i) => `行${i},"a\nb ${i}",${i * 7}`).join('\n');
      const bytes = iconv.encode(text, name);
      const reading = { ...options, encoding: { name, bomBytes: 0 }, batchBytes: 900 };
      const source = bytesSource(bytes, 300);
      const whole = await allRows(readCsv(source, reading));
      expect(whole).toHaveLength(400);
      let batches = 0;
      for await (const batch of readCsv(source, reading)) {
        batches++;
        expect(await allRows(readCsv(source, { ...reading, from: batch.next }))).toEqual(whole.slice(batch.next.row));
        if (batches > 6) break;
      }
      expect(batches).toBeGreaterThan(3);
    },
  );

  it('says which batch is the last and where the file ends', async () => {
    const source = textSource('a,b\n1,2\n3,4', 3);
    const seen = [];
    for await (const batch of readCsv(source, { ...options, batchBytes: 4 }))
      seen.push([batch.isLast, batch.next.offset]);
    expect(seen.at(-1)).toEqual([true, 11]);
    expect(seen.slice(0, -1).every(([isLast]) => isLast === false)).toBe(true);
  });
});

describe('bytes that are not text', () => {
  const bad = Buffer.concat([Buffer.from('a,b\n1,caf'), Buffer.from([0xe9]), Buffer.from('\n2,ok\n3,naïve\n')]);

  it('marks only the row that is not UTF-8', async () => {
    const read = await allRows(readCsv(bytesSource(bad), options));
    expect(read.map((row) => row.fault)).toEqual([null, 'row_encoding_invalid', null, null]);
  });

  it('notices it wherever the chunks are cut', async () => {
    for (let chunk = 1; chunk < 14; chunk++) {
      const read = await allRows(readCsv(bytesSource(bad, chunk), { ...options, batchBytes: 5 }));
      expect(read.map((row) => row.fault)).toEqual([null, 'row_encoding_invalid', null, null]);
    }
  });

  it('does not mistake a character cut by a chunk for a broken one', async () => {
    const read = await allRows(readCsv(bytesSource(Buffer.from('日本,語\n日,本\n'), 1), { ...options, batchBytes: 2 }));
    expect(read.map((row) => [row.fault, ...row.cells])).toEqual([
      [null, '日本', '語'],
      [null, '日', '本'],
    ]);
  });

  it('marks rows with bytes that the converted encoding does not have', async () => {
    const bytes = Buffer.from([0x61, 0x2c, 0x81, 0x0a, 0x62, 0x2c, 0xe9, 0x0a]);
    const read = await allRows(
      readCsv(bytesSource(bytes), { ...options, encoding: { name: 'windows-1252', bomBytes: 0 } }),
    );
    expect(read.map((row) => row.fault)).toEqual(['row_encoding_invalid', null]);
    expect(read[1]?.cells).toEqual(['b', 'é']);
  });

  it('marks half a surrogate pair in UTF-16', async () => {
    const bytes = Buffer.concat([
      Buffer.from('a,b\n', 'utf16le'),
      Buffer.from([0x00, 0xd8]),
      Buffer.from(',x\nc,d\n', 'utf16le'),
    ]);
    const read = await allRows(
      readCsv(bytesSource(bytes), { ...options, encoding: { name: 'utf-16le', bomBytes: 0 } }),
    );
    expect(read.map((row) => row.fault)).toEqual([null, 'row_encoding_invalid', null]);
  });
});

describe('memory', () => {
  it('stays the same however long the file is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-csv-'));
    try {
      const path = join(folder, 'long.csv');
      await writeFile(path, 'name,number,some more text to fill the row,2024-01-05\n'.repeat(1_000_000));
      let rows = 0;
      let peak = 0;
      const before = process.memoryUsage().rss;
      for await (const batch of readCsv(await fileSource(path), options)) {
        rows += batch.rowCount;
        peak = Math.max(peak, process.memoryUsage().rss - before);
      }
      expect(rows).toBe(1_000_000);
      expect(peak).toBeLessThan(120 * 1024 * 1024);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('lets go of the file when the reader stops early', async () => {
    let closed = false;
    const source = {
      size: 1_000_000,
      async *open() {
        try {
          for (;;) yield Buffer.from('a,b\n'.repeat(100));
        } finally {
          closed = true;
        }
      },
    };
    for await (const batch of readCsv(source, { ...options, batchBytes: 1_000 })) {
      if (batch.rowCount > 0) break;
    }
    expect(closed).toBe(true);
  });
});
