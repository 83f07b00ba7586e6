// A bucket that keeps versions, of a store that really does: OpenStack Swift over its S3 API.
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { contentOf, describePlace, listAll } from '../../test/support/place-conformance.ts';
import { hasSwift, type SwiftStore, startSwiftStore } from '../../test/support/swift-store.ts';
import { guardedLookup, requireCallable } from '../outbound/guarded-lookup.ts';
import type { PlaceGuard } from './place.ts';
import { S3Place } from './s3/s3-place.ts';

const guard: PlaceGuard = {
  lookup: guardedLookup(true) as PlaceGuard['lookup'],
  requireCallable: (host) => requireCallable(host, true),
};
const never = new AbortController().signal;

describe.skipIf(!hasSwift())('a bucket that keeps versions', () => {
  let store: SwiftStore;
  let buckets = 0;
  beforeAll(async () => {
    store = await startSwiftStore();
  });
  afterAll(() => store.close());

  const opened = async () => {
    const { endpoint, keys, client } = store;
    const Bucket = await store.bucket(`kept-${buckets++}`);
    return {
      open: () =>
        new S3Place({ bucket: Bucket, region: 'us-east-1', endpoint, credentials: keys, moveTo: 'taken' }, guard),
      put: (Key: string, Body: string | Buffer) => client.send(new PutObjectCommand({ Bucket, Key, Body })),
      remove: (Key: string) => client.send(new DeleteObjectCommand({ Bucket, Key })),
    };
  };

  describePlace('it', async () => {
    const { open, put, remove } = await opened();
    return {
      open,
      put: async (key, content) => void (await put(key, content)),
      remove: async (key) => void (await remove(key)),
      close: async () => undefined,
    };
  });

  it('lists the newest version of each object, says which one it reads, and lacks what a delete marker hides until it is put back', async () => {
    const { open, put, remove } = await opened();
    const place = open();
    onTestFinished(() => place.close());
    await put('a.txt', 'first');
    const { VersionId: newest = '' } = await put('a.txt', 'second, longer');
    await put('b.txt', 'other');
    expect((await listAll(place)).map(({ key, bytes }) => [key, bytes])).toEqual([
      ['a.txt', 14],
      ['b.txt', 5],
    ]);
    const [object] = await listAll(place);
    if (object === undefined) throw new Error('it is not there');
    const versions: string[] = [];
    let content = '';
    for await (const chunk of place.read(object, never, (id) => versions.push(id))) content += Buffer.from(chunk);
    expect([content, versions]).toEqual(['second, longer', [newest]]);

    await remove('a.txt');
    expect((await listAll(place)).map(({ key }) => key)).toEqual(['b.txt']);
    expect(await place.look('a.txt', never)).toBeUndefined();
    await put('a.txt', 'second, longer');
    // The same bytes under the same key: the mark is the same one, whatever the version is called.
    expect((await place.look('a.txt', never))?.mark.split(':').slice(0, 2)).toEqual(object.mark.split(':').slice(0, 2));
  });

  it('does not give an object half old, half new when it is replaced while it is read', async () => {
    const { open, put } = await opened();
    const place = open();
    onTestFinished(() => place.close());
    const old = Buffer.alloc(3_000_000, 'old ');
    await put('big.bin', old);
    const object = await place.look('big.bin', never);
    if (object === undefined) throw new Error('it is not there');
    const chunks: Uint8Array[] = [];
    for await (const chunk of place.read(object, never)) {
      if (chunks.length === 0) await put('big.bin', Buffer.alloc(3_000_000, 'new '));
      chunks.push(chunk);
    }
    expect(Buffer.concat(chunks).equals(old)).toBe(true);
    await expect(contentOf(place, object)).rejects.toMatchObject({ code: 'source_file_changing' });
  });
});
