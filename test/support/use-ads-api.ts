// What the tests of ads over HTTP stand on: a database, an engine with the ads pipeline at work, the API before it and an admin, for one
// test file. A test that speaks for somebody else puts them in the admin's place and the admin back.
import { afterAll, beforeAll } from 'vitest';
import { replayConsumer } from '../../src/engine/replay.ts';
import { createUploadHandlers } from '../../src/http/uploads/create-upload.ts';
import { defaultUploadLimits } from '../../src/http/uploads/upload-limits.ts';
import { auditConsumer } from '../../src/pipelines/ads/audit-consumer.ts';
import { adsHandlers, adsIntake, adsRejectTools } from '../../src/pipelines/ads/http/ads-handlers.ts';
import { adsFileRows } from '../../src/pipelines/ads/http/file-rows.ts';
import { adsReadings } from '../../src/pipelines/ads/http/readings.ts';
import { adsUndo } from '../../src/pipelines/ads/undo.ts';
import { type AdsBench, openAdsBench } from './ads.ts';
import { buildTenant, buildUser, type TestUser, useApi } from './api.ts';
import { useDatabase } from './database.ts';

export function useAdsApi() {
  const db = useDatabase();
  let bench: AdsBench;
  let admin: TestUser;
  beforeAll(async () => {
    bench = await openAdsBench(db.appUrl);
    bench.engine.consume(replayConsumer);
    bench.engine.consume(auditConsumer);
    await bench.engine.start();
    admin = await buildUser(db, await buildTenant(db), 'admin');
  });
  const api = useApi(db, () => ({
    engine: bench.engine,
    pipelines: {
      ads: {
        intake: adsIntake(bench.engine),
        rejects: adsRejectTools(bench.engine, bench.store),
        rows: adsFileRows,
        readings: adsReadings(bench.store),
        actions: { undo: adsUndo },
      },
    },
    handlers: {
      ...createUploadHandlers({
        store: bench.store,
        limits: defaultUploadLimits,
      }),
      ...adsHandlers({ store: bench.store }),
    },
  }));
  afterAll(() => bench.close());

  async function upload(
    content: string | Buffer,
    fields: Record<string, string> = {},
    filename = 'export.csv',
    headers: Record<string, string> = {},
  ) {
    const form = new FormData();
    for (const [name, value] of Object.entries({ platform: 'meta', source: 'manual', ...fields }))
      form.set(name, value);
    form.set('file', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), filename);
    const request = new Request('http://localhost/', { method: 'POST', body: form });
    return api.server.inject({
      method: 'POST',
      url: '/v1/uploads',
      headers: {
        authorization: `Bearer ${admin.token}`,
        'content-type': request.headers.get('content-type') ?? '',
        ...headers,
      },
      payload: Buffer.from(await request.arrayBuffer()),
    });
  }

  return {
    db,
    api,
    get bench() {
      return bench;
    },
    get admin() {
      return admin;
    },
    set admin(user: TestUser) {
      admin = user;
    },
    upload,
    ended: (runId: string) => bench.ended(admin.tenantId, runId),
    asUpload: (uploadId: string) => ({ as: admin, params: { upload_id: uploadId } }),
    asRun: (runId: string) => ({ as: admin, params: { run_id: runId } }),
  };
}
