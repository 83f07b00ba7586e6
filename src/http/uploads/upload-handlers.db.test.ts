// Downloading an upload through the whole API: its own tenant gets the bytes, another one learns nothing.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApiKey, buildTenant, buildUser, type TestUser, useApi } from '../../../test/support/api.ts';
import { inChunks } from '../../../test/support/blob-store-conformance.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { recordBlob } from '../../engine/blobs/blobs.ts';
import { storeFile } from '../../engine/blobs/store-file.ts';
import { DiskBlobStore } from '../../platform/blob/disk-blob-store.ts';
import { uploadHandlers } from './upload-handlers.ts';

const database = useDatabase();
const content = randomBytes(300_000);
let root: string;
let store: DiskBlobStore;
let owner: TestUser;
let stranger: TestUser;
let runId: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-original-'));
  store = new DiskBlobStore({ root });
});
const api = useApi(database, () => ({ handlers: uploadHandlers({ store }) }));
beforeAll(async () => {
  owner = await buildUser(database, await buildTenant(database));
  stranger = await buildUser(database, await buildTenant(database));
  const file = await storeFile(store, {
    tenantId: owner.tenantId,
    fileName: 'März "final".csv',
    body: inChunks(content),
    maxBytes: 1_000_000,
    sniff: () => ({ format: 'csv', mediaType: 'text/csv' }),
  });
  await recordBlob(database.engine, file);
  runId = randomUUID();
  await database.admin.query(
    `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, blob_id)
     values ($1, $2, 'test', 'waiting', 'waiting', '', '{}', $3)`,
    [runId, owner.tenantId, file.blobId],
  );
});
afterAll(() => rm(root, { recursive: true }));

const original = (as: { token: string }, upload = runId) =>
  api.call('uploads.original', { as, params: { upload_id: upload } });

describe('GET /v1/uploads/:upload_id/original', () => {
  it("gives the owner exactly the bytes, as a download under the sender's name", async () => {
    const answer = await original(owner);
    expect(answer.statusCode).toBe(200);
    expect(answer.rawPayload.equals(content)).toBe(true);
    expect(answer.headers['content-disposition']).toBe(
      `attachment; filename="Marz _final_.csv"; filename*=UTF-8''M%C3%A4rz%20%22final%22.csv`,
    );
    expect(answer.headers['content-security-policy']).toContain('sandbox');
  });

  it('answers another tenant exactly as if there were no such upload', async () => {
    const foreign = await original(stranger);
    const missing = await original(stranger, randomUUID());
    expect([foreign.statusCode, missing.statusCode]).toEqual([404, 404]);
    const shape = (text: string) => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID');
    expect(shape(foreign.body)).toBe(shape(missing.body));
    expect(foreign.body).toContain('upload_not_found');
  });

  it('is refused to a key without the right to read', async () => {
    const key = await buildApiKey(database, owner.tenantId, ['uploads:write']);
    expect((await original(key)).statusCode).toBe(403);
  });
});
