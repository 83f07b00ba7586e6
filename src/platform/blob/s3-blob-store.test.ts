// The S3 store against a real S3-protocol server: the common promises, and what happens when the service fails half way.
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeBlobStore, inChunks, newKey, readAll } from '../../../test/support/blob-store-conformance.ts';
import { codeOf } from '../../../test/support/code-of.ts';
import { type S3Server, startS3Server } from '../../../test/support/s3-server.ts';
import { S3BlobStore, type S3BlobStoreOptions } from './s3-blob-store.ts';

const megabyte = 1024 * 1024;
const cap = { maxBytes: 64 * megabyte };

function connect(server: S3Server, options: Partial<S3BlobStoreOptions> = {}): S3BlobStore {
  return new S3BlobStore({
    bucket: server.bucket,
    prefix: 'blobs/',
    region: 'us-east-1',
    endpoint: server.endpoint,
    forcePathStyle: true,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    partBytes: 5 * megabyte,
    ...options,
  });
}

describeBlobStore('the S3 store', async () => {
  const server = await startS3Server();
  const store = connect(server);
  return {
    store,
    leftovers: async () => server.openUploads().length,
    async close() {
      await store.close();
      await server.close();
    },
  };
});

describe('the S3 store when the service fails', () => {
  let server: S3Server;
  let store: S3BlobStore;
  beforeAll(async () => {
    server = await startS3Server();
    store = connect(server);
  });
  afterEach(() => server.heal());
  afterAll(async () => {
    await store.close();
    await server.close();
  });

  const large = () => inChunks(randomBytes(12 * megabyte));

  it('gets over a part that fails once', async () => {
    const bytes = randomBytes(12 * megabyte);
    const key = newKey();
    server.fail({ method: 'PUT', url: /partNumber=2/, times: 1, act: { status: 500, code: 'InternalError' } });
    await store.put(key, inChunks(bytes), cap);
    expect((await readAll(await store.get(key))).equals(bytes)).toBe(true);
  });

  it.each([
    ['a part that keeps failing', { method: 'PUT', url: /partNumber=2/, act: { status: 500, code: 'InternalError' } }],
    ['a connection that is cut in every part', { method: 'PUT', url: /partNumber=2/, act: 'hang-up' as const }],
    ['a completion that fails', { method: 'POST', url: /uploadId=/, act: { status: 503, code: 'SlowDown' } }],
  ])('%s ends the put as transient, aborts the upload and leaves nothing', async (_, fault) => {
    const key = newKey();
    server.fail({ ...fault, times: 1_000 });
    expect(await codeOf(store.put(key, large(), cap))).toBe('blob_store_unreachable');
    server.heal();
    expect(server.openUploads()).toEqual([]);
    expect(await store.head(key)).toBeUndefined();
  });

  it('a service that stops answering ends the put as transient, too', async () => {
    const key = newKey();
    const impatient = connect(server, { requestTimeoutMs: 500 });
    server.fail({ method: 'PUT', url: /partNumber=2/, times: 1_000, act: 'stall' });
    expect(await codeOf(impatient.put(key, large(), cap))).toBe('blob_store_unreachable');
    server.heal();
    expect(await store.head(key)).toBeUndefined();
    await impatient.close();
  });

  it('a completion whose answer is lost leaves no object behind', async () => {
    const key = newKey();
    server.fail({ method: 'POST', url: /uploadId=/, times: 1, act: 'hang-up-after' });
    expect(await codeOf(store.put(key, large(), cap))).not.toBe('no error');
    expect(server.openUploads()).toEqual([]);
    expect(await store.head(key)).toBeUndefined();
  });

  it('a full service is told as disk_full', async () => {
    server.fail({ method: 'PUT', url: /./, times: 1_000, act: { status: 507, code: 'InsufficientStorage' } });
    expect(await codeOf(store.put(newKey(), inChunks(Buffer.from('x')), cap))).toBe('disk_full');
  });

  it('a refused credential is told as a matter of configuration', async () => {
    server.fail({ method: 'PUT', url: /./, times: 1_000, act: { status: 403, code: 'AccessDenied' } });
    expect(await codeOf(store.put(newKey(), inChunks(Buffer.from('x')), cap))).toBe('blob_store_refused');
  });

  it('a missing bucket is told by check, before the first upload', async () => {
    const lost = connect(server, { bucket: 'no-such-bucket' });
    expect(await codeOf(lost.check())).toBe('blob_store_refused');
    await lost.close();
  });

  it('a service that is not there is transient', async () => {
    const nowhere = connect(server, { endpoint: 'http://127.0.0.1:1' });
    expect(await codeOf(nowhere.check())).toBe('blob_store_unreachable');
    await nowhere.close();
  });

  it('aborts multipart uploads that a killed process left, but not young ones', async () => {
    server.fail({ method: 'PUT', url: /partNumber=/, times: 1_000, act: { status: 500, code: 'InternalError' } });
    server.fail({ method: 'DELETE', url: /uploadId=/, times: 1_000, act: { status: 500, code: 'InternalError' } });
    await codeOf(store.put(newKey(), large(), cap));
    server.heal();
    expect(server.openUploads()).toHaveLength(1);
    expect(await store.removeUnfinished(0)).toBe(0);
    const sweeping = connect(server, { abandonedAfterMs: -1_000 });
    expect(await sweeping.removeUnfinished(3_600_000)).toBe(0);
    expect(await sweeping.removeUnfinished(-1_000)).toBe(1);
    await sweeping.close();
    expect(server.openUploads()).toEqual([]);
  });

  it('sends a small file as one request', async () => {
    server.requests.length = 0;
    await store.put(newKey(), inChunks(Buffer.from('a,b\n1,2\n')), cap);
    expect(server.requests).toHaveLength(1);
  });
});
