// What every blob store must do, said once and run against each of them.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MillraceError } from '../../src/contract/errors/millrace-error.ts';
import { type BlobKey, blobKey } from '../../src/platform/blob/blob-key.ts';
import type { BlobInfo, BlobStore } from '../../src/platform/blob/blob-store.ts';
import { codeOf } from './code-of.ts';

export interface StoreUnderTest {
  readonly store: BlobStore;
  /** Temporary files or open multipart uploads there are now. */
  leftovers(): Promise<number>;
  close(): Promise<void>;
}

const megabyte = 1024 * 1024;
const cap = { maxBytes: 64 * megabyte };

export function newKey(extension = 'csv'): BlobKey {
  return blobKey({ tenantId: randomUUID(), blobId: randomUUID(), extension });
}

export async function* inChunks(bytes: Buffer, chunkBytes = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function collect(infos: AsyncIterable<BlobInfo>): Promise<BlobInfo[]> {
  const all: BlobInfo[] = [];
  for await (const info of infos) all.push(info);
  return all;
}

export function describeBlobStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the promises of a blob store`, () => {
    let under: StoreUnderTest;
    let store: BlobStore;
    beforeAll(async () => {
      under = await open();
      store = under.store;
    });
    afterAll(() => under.close());

    it.each([
      ['no bytes', 0],
      ['one byte', 1],
      ['a few chunks', 300_001],
      ['exactly one part', 5 * megabyte],
      ['several parts and a rest', 13 * megabyte + 7],
    ])('gives back %s exactly, with their length and SHA-256', async (_, size) => {
      const bytes = randomBytes(size);
      const key = newKey();
      const stored = await store.put(key, inChunks(bytes), cap);
      expect(stored.bytes).toBe(size);
      expect(stored.sha256.equals(createHash('sha256').update(bytes).digest())).toBe(true);
      expect((await readAll(await store.get(key))).equals(bytes)).toBe(true);
      expect(await store.head(key)).toMatchObject({ key, bytes: size });
      expect(await under.leftovers()).toBe(0);
    });

    it('takes chunks of any size, also empty ones', async () => {
      const key = newKey('json');
      const body = (async function* () {
        for (const size of [0, 1, 70_000, 0, 3 * megabyte, 2]) yield Buffer.alloc(size, size % 251);
      })();
      const stored = await store.put(key, body, cap);
      expect(stored.bytes).toBe(70_003 + 3 * megabyte);
      expect((await readAll(await store.get(key))).byteLength).toBe(stored.bytes);
    });

    it('reads from any offset; at or past the end there is nothing', async () => {
      const bytes = randomBytes(100_000);
      const key = newKey();
      await store.put(key, inChunks(bytes), cap);
      for (const start of [0, 1, 65_536, 99_999]) {
        expect((await readAll(await store.get(key, { start }))).equals(bytes.subarray(start))).toBe(true);
      }
      for (const start of [100_000, 5_000_000]) {
        expect((await readAll(await store.get(key, { start }))).byteLength).toBe(0);
      }
    });

    it('says blob_missing for bytes that are not there; head says nothing', async () => {
      const key = newKey();
      expect(await codeOf(store.get(key))).toBe('blob_missing');
      expect(await store.head(key)).toBeUndefined();
    });

    it('removes a blob, and removing it again is no error', async () => {
      const key = newKey();
      await store.put(key, inChunks(Buffer.from('a,b\n')), cap);
      await store.delete(key);
      await store.delete(key);
      expect(await store.head(key)).toBeUndefined();
    });

    it.each([
      ['small', 10],
      ['large', 11 * megabyte],
    ])('refuses to change a %s blob that is there', async (_, size) => {
      const key = newKey();
      const first = randomBytes(size);
      await store.put(key, inChunks(first), cap);
      expect(await codeOf(store.put(key, inChunks(randomBytes(size)), cap))).toBe('blob_exists');
      expect((await readAll(await store.get(key))).equals(first)).toBe(true);
      expect(await under.leftovers()).toBe(0);
    });

    it('takes a file of exactly the cap and refuses one byte more, leaving nothing', async () => {
      const fits = newKey();
      await store.put(fits, inChunks(randomBytes(megabyte)), { maxBytes: megabyte });
      const over = newKey();
      expect(await codeOf(store.put(over, inChunks(randomBytes(megabyte + 1)), { maxBytes: megabyte }))).toBe(
        'file_too_large',
      );
      expect(await store.head(over)).toBeUndefined();
      expect(await under.leftovers()).toBe(0);
    });

    it('stops reading at the cap instead of taking an endless body', async () => {
      let given = 0;
      const endless = (async function* () {
        for (;;) {
          given += megabyte;
          yield Buffer.alloc(megabyte);
        }
      })();
      expect(await codeOf(store.put(newKey(), endless, { maxBytes: 20 * megabyte }))).toBe('file_too_large');
      expect(given).toBeLessThanOrEqual(21 * megabyte);
      expect(await under.leftovers()).toBe(0);
    });

    it('passes on the error of a body that breaks off, and nothing is visible', async () => {
      const key = newKey();
      const broken = (async function* () {
        yield Buffer.alloc(12 * megabyte);
        throw new MillraceError('upload_aborted');
      })();
      expect(await codeOf(store.put(key, broken, cap))).toBe('upload_aborted');
      expect(await store.head(key)).toBeUndefined();
      expect(await under.leftovers()).toBe(0);
    });

    it('ends a put as soon as its signal is aborted, also while the body gives nothing', async () => {
      const key = newKey();
      const abort = new AbortController();
      const stuck = (async function* () {
        yield Buffer.alloc(12 * megabyte);
        setImmediate(() => abort.abort(new MillraceError('run_cancelled', { run: 'x', by: 'a test' })));
        await new Promise(() => {});
      })();
      expect(await codeOf(store.put(key, stuck, { ...cap, signal: abort.signal }))).toBe('run_cancelled');
      expect(await store.head(key)).toBeUndefined();
      expect(await under.leftovers()).toBe(0);
    });

    it('does not begin a put whose signal is already aborted', async () => {
      const key = newKey();
      const signal = AbortSignal.abort(new MillraceError('upload_aborted'));
      expect(await codeOf(store.put(key, inChunks(Buffer.from('x')), { ...cap, signal }))).toBe('upload_aborted');
      expect(await store.head(key)).toBeUndefined();
    });

    it('lists blobs stored before a moment, and only those', async () => {
      const keys = [newKey(), newKey(), newKey()];
      for (const key of keys) await store.put(key, inChunks(Buffer.from('abc')), cap);
      const later = await collect(store.listStoredBefore(new Date(Date.now() + 60_000)));
      expect(later.map(({ key }) => key)).toEqual(expect.arrayContaining(keys));
      expect(later.find(({ key }) => key === keys[0])?.bytes).toBe(3);
      const earlier = await collect(store.listStoredBefore(new Date(Date.now() - 3_600_000)));
      expect(earlier).toEqual([]);
    });

    it.each([
      '../../etc/passwd',
      '/etc/passwd',
      'a/../b.csv',
      `${randomUUID()}/../${randomUUID()}.csv`,
      `${randomUUID()}/${randomUUID()}.c/v`,
      `${randomUUID()}/${randomUUID()}.csv\0`,
      `${randomUUID()}/${randomUUID()}.CSV`,
      `${randomUUID()}/${randomUUID()}`,
      `${randomUUID()}\\${randomUUID()}.csv`,
      `.incoming/${randomUUID()}.part`,
      '',
    ])('touches nothing for a key it did not make: %j', async (bad) => {
      const key = bad as BlobKey;
      const calls = [
        store.put(key, inChunks(Buffer.from('x')), cap),
        store.get(key),
        store.head(key),
        store.delete(key),
      ];
      for (const call of calls) expect(await codeOf(call)).toBe('blob_key_invalid');
    });

    it('takes many puts at once without mixing them up', async () => {
      const files = Array.from({ length: 20 }, () => ({ key: newKey(), bytes: randomBytes(400_000) }));
      await Promise.all(files.map(({ key, bytes }) => store.put(key, inChunks(bytes, 10_000), cap)));
      for (const { key, bytes } of files) expect((await readAll(await store.get(key))).equals(bytes)).toBe(true);
    });

    it('is ready when it can be written to', async () => {
      await expect(store.check()).resolves.toBeUndefined();
    });
  });
}
