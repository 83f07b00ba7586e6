// Sources in tests: their pipeline beside documents and ads on a test database, the API before them, and places made on the spot.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { RunRow } from '../../src/engine/reads/run-columns.ts';
import { ownHandlers } from '../../src/http/handlers.ts';
import { adsPipeline } from '../../src/pipelines/ads/ads.pipeline.ts';
import { adsHandlers, adsIntake } from '../../src/pipelines/ads/http/ads-handlers.ts';
import { documentsPipeline } from '../../src/pipelines/documents/documents.pipeline.ts';
import { documentsIntake } from '../../src/pipelines/documents/http/ingest.ts';
import { itemsIntake } from '../../src/pipelines/items/http/intake.ts';
import { itemsPipeline } from '../../src/pipelines/items/items.pipeline.ts';
import { judgmentsIntake } from '../../src/pipelines/judgments/http/batch-handlers.ts';
import { judgmentsPipeline } from '../../src/pipelines/judgments/judgments.pipeline.ts';
import { connectedSources } from '../../src/pipelines/sources/connected.ts';
import { sourceHandlers } from '../../src/pipelines/sources/http/source-handlers.ts';
import { sourcesPipeline } from '../../src/pipelines/sources/sources.pipeline.ts';
import type { SourcesDeps } from '../../src/pipelines/sources/sources-deps.ts';
import { silentLog } from '../../src/platform/log.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import type { Intake } from '../../src/sources/intake.ts';
import { buildTenant, buildUser, type TestUser, useApi } from './api.ts';
import { useDatabase } from './database.ts';
import { documentHandlers } from './documents.ts';
import { documentsDeps } from './documents-deps.ts';
import { buildEngine, LONG_LEASE } from './engine.ts';
import { itemsHandlers } from './items.ts';
import { itemsDeps } from './items-deps.ts';
import { type S3Server, startS3Server } from './s3-server.ts';
import { waitFor } from './wait-for.ts';

const s3Keys = { access_key_id: 'test', secret_access_key: 'test-secret' };

export function useSources() {
  const db = useDatabase();
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-sources-'));
  const documents = documentsDeps(folder);
  const items = { ...itemsDeps(folder), store: documents.store };
  const deps: SourcesDeps = {
    settings: {
      allowPrivateSources: true,
      allowServerIdentity: false,
      sourceFolderRoots: folder,
      sourceReadTimeoutMinutes: 5,
      sourceMaxObjects: 10_000,
    },
    store: documents.store,
    secrets: createSecretBox(Buffer.alloc(32, 9)),
    log: silentLog,
    house: undefined,
  };
  let engine: Engine & { close(): Promise<void> };
  let admin: TestUser;
  let bucket: S3Server;
  let client: S3Client;
  beforeAll(async () => {
    bucket = await startS3Server();
    client = new S3Client({
      endpoint: bucket.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test-secret' },
      forcePathStyle: true,
    });
    const pipelines = [
      documentsPipeline(documents),
      adsPipeline({ store: deps.store }),
      judgmentsPipeline({ store: deps.store }),
      itemsPipeline(items),
      sourcesPipeline(deps),
    ];
    engine = await buildEngine(db.appUrl, pipelines, { settings: LONG_LEASE });
    const intakes = new Map<string, Intake>([
      ['documents', documentsIntake(engine, silentLog) as unknown as Intake],
      ['ads', adsIntake(engine) as unknown as Intake],
      ['judgments', judgmentsIntake(engine, silentLog) as unknown as Intake],
      ['items', itemsIntake(engine, silentLog, items) as unknown as Intake],
    ]);
    deps.house = { engine, pool: engine.pools.control, maxBytes: 50 * 1024 ** 2, intakes };
    items.connected = connectedSources(deps);
    await engine.start();
    const tenantId = await buildTenant(db);
    await db.admin.query(`update tenants set plan = 'enterprise' where tenant_id = $1`, [tenantId]);
    admin = await buildUser(db, tenantId, 'admin');
  });
  const api = useApi(db, () => ({
    engine,
    handlers: {
      ...ownHandlers,
      ...adsHandlers({ store: deps.store }),
      ...documentHandlers(documents),
      ...itemsHandlers(items),
      ...sourceHandlers(deps),
    },
  }));
  afterAll(async () => {
    await engine.close();
    documents.embedder.close();
    await deps.store.close();
    client.destroy();
    await bucket.close();
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    db,
    api,
    deps,
    folder,
    get engine() {
      return engine;
    },
    get admin() {
      return admin;
    },
    get bucket() {
      return bucket;
    },
    otherTenant: () => buildTenant(db),
    put: async (Key: string, Body: string | Uint8Array) =>
      void (await client.send(new PutObjectCommand({ Bucket: bucket.bucket, Key, Body }))),
    remove: async (Key: string) => void (await client.send(new DeleteObjectCommand({ Bucket: bucket.bucket, Key }))),
    /** A source over the bucket, below a prefix of its own. */
    wish: (name: string, over: object = {}) => ({
      name,
      pipeline: 'documents',
      place: { kind: 's3', bucket: bucket.bucket, endpoint: bucket.endpoint },
      credential: s3Keys,
      prefix: `${name}/`,
      ...over,
    }),
    async connect(wish: object): Promise<string> {
      const answer = await api.call('sources.create', { as: admin, body: wish });
      if (answer.statusCode !== 201) throw new Error(answer.body);
      return answer.json().source_id;
    },
    /** Syncs it and waits for the end of the sync and of what it brought. */
    async sync(sourceId: string): Promise<RunRow> {
      const started = await api.call('sources.sync', { as: admin, params: { source_id: sourceId } });
      if (started.statusCode !== 202) throw new Error(started.body);
      const run = await this.ended(started.json().run_id);
      await this.quiet(sourceId);
      return run;
    },
    ended: (runId: string): Promise<RunRow> =>
      waitFor(
        async () => {
          const run = await engine.run(admin.tenantId, runId);
          return run.finished_at === null && run.held_at === null ? undefined : run;
        },
        { what: `run ${runId} to end` },
      ),
    quiet: (sourceId: string) =>
      waitFor(
        async () => {
          const { rows } = await db.admin.query<{ live: number }>(
            `select count(*)::int as live from engine.runs where source_id = $1 and pipeline <> 'sources' and phase in ('waiting', 'active')`,
            [sourceId],
          );
          return rows[0]?.live === 0 ? true : undefined;
        },
        { what: 'the runs of the source to end' },
      ),
    async objects(sourceId: string): Promise<Record<string, string>> {
      const answer = await api.call('sources.objects', { as: admin, params: { source_id: sourceId } });
      return Object.fromEntries(
        answer
          .json()
          .data.map((each: { key: string; status: string }) => [each.key.split('/').slice(1).join('/'), each.status]),
      );
    },
    async served(): Promise<string[]> {
      const { rows } = await db.admin.query<{ source_uri: string }>(
        `select d.source_uri from documents d join document_versions v using (tenant_id, doc_id)
         where v.is_active and d.tenant_id = $1 order by 1`,
        [admin.tenantId],
      );
      return rows.map((row) => row.source_uri);
    },
  };
}
