import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ByteSource, bytesSource, fileSource, readSlice } from './byte-source.ts';

const content = Buffer.from('0123456789'.repeat(100_000));
let folder = '';
const sources: { file?: ByteSource; bytes: ByteSource } = { bytes: bytesSource(content, 777) };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-source-'));
  await writeFile(join(folder, 'x'), content);
  await writeFile(join(folder, 'empty'), '');
  sources.file = await fileSource(join(folder, 'x'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each(['file', 'bytes'] as const)('a source of %s', (kind) => {
  it('knows its size and gives all of its bytes', async () => {
    const source = sources[kind]!;
    expect(source.size).toBe(content.length);
    expect((await readSlice(source, 0, source.size)).equals(content)).toBe(true);
  });

  it.each([
    [0, 3, '012'],
    [999_995, 100, '56789'],
    [1_000_000, 5, ''],
    [12, 0, ''],
  ])('gives %i + %i as %j', async (start, length, expected) => {
    expect((await readSlice(sources[kind]!, start, length)).toString()).toBe(expected);
  });

  it('can be opened twice at once', async () => {
    const [a, b] = [sources[kind]!.open(5)[Symbol.asyncIterator](), sources[kind]!.open(7)[Symbol.asyncIterator]()];
    expect([(await a.next()).value?.[0], (await b.next()).value?.[0]]).toEqual([53, 55]);
    await a.return?.();
    await b.return?.();
  });
});

describe('an empty file', () => {
  it('has no bytes', async () => {
    const source = await fileSource(join(folder, 'empty'));
    expect(source.size).toBe(0);
    expect(await readSlice(source, 0, 10)).toHaveLength(0);
  });
});
