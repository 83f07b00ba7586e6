// From the first byte to the run, with a real database, disk and HTTP server: what is acknowledged is there, what is refused is not.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useDatabase } from '../../../test/support/database.ts';
import { field, filePart, form, openRequest, sendRaw } from '../../../test/support/multipart.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { findBlob } from '../../engine/blobs/blobs.ts';
import type { StoredFile } from '../../engine/blobs/store-file.ts';
import { DiskBlobStore } from '../../platform/blob/disk-blob-store.ts';
import { acceptUpload, onlyFor } from './accept-upload.ts';
import { passMultipartThrough } from './multipart-body.ts';
import { sendBlob } from './send-blob.ts';
import { defaultUploadLimits } from './upload-limits.ts';

const database = useDatabase();
const tenantId = randomUUID();
const userId = randomUUID();
const fields = z.strictObject({ platform: z.enum(['meta', 'google']), note: z.string().max(20).optional() });

let root: string;
let store: DiskBlobStore;
let app: FastifyInstance;
let port: number;
let enqueue: (upload: { file: StoredFile }) => Promise<string>;

async function insertRun({ file }: { file: StoredFile }): Promise<string> {
  const id = randomUUID();
  await database.admin.query(
    `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, blob_id)
     values ($1, $2, 'test', 'waiting', 'waiting', '', '{}', $3)`,
    [id, file.tenantId, file.blobId],
  );
  return id;
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-accept-'));
  store = new DiskBlobStore({ root });
  app = Fastify({ forceCloseConnections: true });
  passMultipartThrough(app);
  app.setErrorHandler((error, _request, reply) => {
    const ours = error instanceof MillraceError ? error : new MillraceError('internal', {}, { cause: error });
    return reply.code(ours.status).send({ code: ours.code, detail: ours.message });
  });
  app.post('/', async (request, reply) => {
    const intake = {
      title: 'A test',
      accepts: ['csv'],
      sniff: () => ({ format: 'csv', mediaType: 'text/csv' }),
      fields,
      accept: async (upload: { file: StoredFile }) => ({
        runId: await enqueue(upload),
        status: 'waiting',
        created: true,
      }),
    };
    const deps = { store, pool: database.app, control: database.engine, limits: defaultUploadLimits };
    const uploader = { tenantId, createdBy: userId };
    const { answer, file, sameBytesAs } = await acceptUpload(deps, request, uploader, onlyFor(intake));
    return reply.code(202).send({ run: answer.runId, blob: file.blobId, same_bytes_as: sameBytesAs });
  });
  app.get<{ Params: { blob: string } }>('/original/:blob', async (request, reply) => {
    const blob = await findBlob(database.engine, request.params.blob);
    if (blob === undefined) throw new MillraceError('blob_not_found', { blob: request.params.blob });
    return sendBlob(reply, store, blob);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as AddressInfo).port;
});
beforeEach(() => {
  enqueue = insertRun;
});
afterEach(async () => {
  await rm(join(root, tenantId), { recursive: true, force: true });
});
afterAll(async () => {
  await app.close();
  await rm(root, { recursive: true });
});

const stored = () => readdir(join(root, tenantId)).catch(() => [] as string[]);
const upload = (...parts: Buffer[]) => sendRaw(port, form(...parts));
const original = (blob: unknown) => fetch(`http://127.0.0.1:${port}/original/${String(blob)}`);

describe('an accepted upload', () => {
  it('has its bytes, its row and its run, and the row was there before the run', async () => {
    let rowAtEnqueue: unknown;
    enqueue = async (given) => {
      rowAtEnqueue = await findBlob(database.engine, given.file.blobId);
      return insertRun(given);
    };
    const { status, body } = await upload(filePart('x.csv', 'a,b\n'), field('platform', 'meta'));
    expect(status).toBe(202);
    expect(rowAtEnqueue).toMatchObject({ blob_id: body.blob, tenant_id: tenantId, created_by: userId, bytes: 4 });
    expect(await stored()).toEqual([`${String(body.blob)}.csv`]);
  });

  it('is hashed while it streams: its bytes reach the store, and only the store, before the last of them was sent', async () => {
    const piece = randomBytes(1024 * 1024);
    const expected = createHash('sha256');
    const body = form(field('platform', 'meta'), filePart('x.csv', Buffer.concat(Array<Buffer>(16).fill(piece))));
    for (let at = 0; at < 16; at += 1) expected.update(piece);
    const { socket, answer } = await openRequest(port, { 'content-length': body.byteLength });
    // All but the end: what arrived so far lies in a temporary file of the store.
    socket.write(body.subarray(0, -1_000));
    const incoming = join(root, '.incoming');
    await waitFor(
      async () => {
        const [name] = await readdir(incoming).catch(() => [] as string[]);
        return name !== undefined && (await stat(join(incoming, name))).size > 8 * piece.byteLength ? true : undefined;
      },
      { what: 'the first half to be on the disk' },
    );
    socket.write(body.subarray(-1_000));
    const { status, body: told } = await answer;
    socket.destroy();
    expect(status).toBe(202);
    const blob = await findBlob(database.engine, String((told as { blob: string }).blob));
    expect(blob?.sha256.toString('hex')).toBe(expected.digest('hex'));
    expect(Number(blob?.bytes)).toBe(16 * piece.byteLength);
  });

  it('names the earlier run that had exactly these bytes', async () => {
    const content = randomBytes(100).toString('hex');
    const first = await upload(field('platform', 'meta'), filePart('x.csv', content));
    const again = await upload(field('platform', 'meta'), filePart('other name.csv', content));
    expect(first.body.same_bytes_as).toBeUndefined();
    expect(again.body.same_bytes_as).toBe(first.body.run);
  });
});

describe('a refused upload', () => {
  it.each([
    ['a missing field', [filePart('x.csv', 'a,b\n')], /platform/],
    ['a wrong field after the file', [filePart('x.csv', 'a,b\n'), field('platform', 'bing')], /platform/],
  ])('for %s names the field and keeps nothing', async (_, parts, fault) => {
    const { status, body } = await upload(...parts);
    expect([status, body.code]).toEqual([422, 'upload_fields_invalid']);
    expect(body.detail).toMatch(fault);
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['resembles a known one', 'platfrom', '"platfrom"; did you mean "platform"?'],
    ['resembles none', '__proto__', 'known are "platform", "note".'],
  ])('for an unknown field that %s says which are known and keeps nothing', async (_, name, hint) => {
    const { status, body } = await upload(field('platform', 'meta'), field(name, 'x'), filePart('x.csv', 'a,b\n'));
    expect([status, body.code]).toEqual([400, 'name_unknown']);
    expect(body.detail).toContain(hint);
    expect(await stored()).toEqual([]);
  });

  it('by the pipeline itself keeps no bytes, and its row says so', async () => {
    let blobId = '';
    enqueue = async ({ file }) => {
      blobId = file.blobId;
      throw new MillraceError('input_invalid', { pipeline: 'test', reason: 'no' });
    };
    const { body } = await upload(field('platform', 'meta'), filePart('x.csv', 'a,b\n'));
    expect(body.code).toBe('input_invalid');
    expect(await stored()).toEqual([]);
    expect((await findBlob(database.engine, blobId))?.deleted_at).toBeInstanceOf(Date);
  });

  it('whose run exists although its answer was lost keeps the bytes the run needs', async () => {
    enqueue = async (given) => {
      await insertRun(given);
      throw new MillraceError('database_lost');
    };
    const { status, body } = await upload(field('platform', 'meta'), filePart('x.csv', 'a,b\n'));
    expect([status, body.code]).toEqual([503, 'database_lost']);
    expect(await stored()).toHaveLength(1);
  });

  it('whose run the server may still be writing keeps the bytes; if there is none, the sweep takes them', async () => {
    enqueue = async () => {
      throw new MillraceError('database_lost');
    };
    await upload(field('platform', 'meta'), filePart('x.csv', 'a,b\n'));
    expect(await stored()).toHaveLength(1);
  });
});

describe('downloading the original', () => {
  it("gives exactly the bytes, as a harmless download under the sender's name", async () => {
    const content = randomBytes(700_000);
    const { body } = await upload(field('platform', 'meta'), filePart('Übersicht.csv', content));
    const answer = await original(body.blob);
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
    expect(answer.headers.get('content-disposition')).toContain(`filename*=UTF-8''%C3%9Cbersicht.csv`);
    expect(answer.headers.get('content-length')).toBe('700000');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
  });

  it('says that the bytes are gone when they are', async () => {
    const { body } = await upload(field('platform', 'meta'), filePart('x.csv', 'a,b\n'));
    await rm(join(root, tenantId), { recursive: true });
    const lost = await original(body.blob);
    expect([lost.status, ((await lost.json()) as { code: string }).code]).toEqual([410, 'blob_missing']);
    await database.admin.query('update engine.blobs set deleted_at = engine.now() where blob_id = $1', [body.blob]);
    expect((await original(body.blob)).status).toBe(410);
  });

  it('lets go of the file when the reader leaves half way', async () => {
    const { body } = await upload(field('platform', 'meta'), filePart('x.csv', Buffer.alloc(20_000_000, 'a')));
    for (let round = 0; round < 5; round += 1) {
      const abort = new AbortController();
      const answer = await fetch(`http://127.0.0.1:${port}/original/${String(body.blob)}`, { signal: abort.signal });
      await answer.body?.getReader().read();
      abort.abort();
    }
    expect((await (await original(body.blob)).arrayBuffer()).byteLength).toBe(20_000_000);
    await expect
      .poll(async () => (await readdir('/proc/self/fd').catch(() => [])).length, { timeout: 300_000 })
      .toBeLessThan(200);
  });
});
