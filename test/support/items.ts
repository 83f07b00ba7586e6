// Items in tests: the pipeline on a test database, the API before it, and processors made on the spot.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { OperationId } from '../../src/contract/api/operations.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { ownHandlers } from '../../src/http/handlers.ts';
import { uploadHandlers } from '../../src/http/uploads/upload-handlers.ts';
import { defaultUploadLimits } from '../../src/http/uploads/upload-limits.ts';
import type { ItemsDeps } from '../../src/pipelines/items/deps.ts';
import { catalogHandlers } from '../../src/pipelines/items/http/catalog-handlers.ts';
import { changeHandlers } from '../../src/pipelines/items/http/change-handlers.ts';
import { exportHandlers } from '../../src/pipelines/items/http/export-handlers.ts';
import { createHandler, itemsIntake } from '../../src/pipelines/items/http/intake.ts';
import { readHandlers } from '../../src/pipelines/items/http/read-handlers.ts';
import { itemsReadings } from '../../src/pipelines/items/http/readings.ts';
import { scanHandler } from '../../src/pipelines/items/http/scan-handler.ts';
import { tryHandler } from '../../src/pipelines/items/http/try-handler.ts';
import { itemsPipeline } from '../../src/pipelines/items/items.pipeline.ts';
import { leftoversConsumer } from '../../src/pipelines/items/leftovers.ts';
import type { AnyProcessor } from '../../src/pipelines/items/processors/processor.ts';
import type { ItemSettings } from '../../src/pipelines/items/settings.ts';
import type { Queryable } from '../../src/platform/database.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { silentLog } from '../../src/platform/log.ts';
import { buildTenant, buildUser, type TestApi, type TestUser, useApi } from './api.ts';
import { useDatabase } from './database.ts';
import { buildEngine, LONG_LEASE } from './engine.ts';
import { itemsDeps } from './items-deps.ts';
import { waitFor } from './wait-for.ts';

export function itemsHandlers(deps: ItemsDeps) {
  return {
    ...createHandler(deps, defaultUploadLimits),
    ...tryHandler(deps, defaultUploadLimits),
    ...scanHandler(deps),
    ...readHandlers(deps),
    ...changeHandlers(deps),
    ...exportHandlers(deps),
    ...catalogHandlers(deps, defaultUploadLimits),
  };
}

/** Whatever the route table says it is. */
// biome-ignore lint/suspicious/noExplicitAny: answers of all operations
type Body = any;

export interface Answered {
  readonly status: number;
  readonly body: Body;
}

export interface ItemsTestOptions {
  readonly settings?: Partial<ItemSettings>;
  readonly processors?: readonly AnyProcessor[];
  readonly batchBytes?: number;
  readonly mostRemembered?: number;
  readonly claimBytes?: number;
  readonly resultBytes?: number;
  readonly turnMs?: number;
  /** Worker processes, as the database sees them. */
  readonly workers?: number;
  /** Slots of each. */
  readonly concurrency?: number;
}

export function useItems({
  settings = {},
  processors = [],
  batchBytes,
  mostRemembered,
  claimBytes,
  resultBytes,
  turnMs,
  workers = 1,
  concurrency,
}: ItemsTestOptions = {}) {
  const db = useDatabase();
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-items-'));
  const deps = itemsDeps(folder, {
    settings,
    processors,
    ...(batchBytes === undefined ? {} : { batchBytes }),
    ...(mostRemembered === undefined ? {} : { mostRemembered }),
    ...(claimBytes === undefined ? {} : { claimBytes }),
    ...(resultBytes === undefined ? {} : { resultBytes }),
    ...(turnMs === undefined ? {} : { turnMs }),
  });
  const engines: (Engine & { close(): Promise<void> })[] = [];
  let admin: TestUser;
  let user: TestUser;
  beforeAll(async () => {
    for (let at = 0; at < workers; at += 1)
      engines.push(
        await buildEngine(db.appUrl, [itemsPipeline(deps)], {
          settings: { ...LONG_LEASE, ...(concurrency === undefined ? {} : { concurrency }) },
        }),
      );
    engines[0]?.consume(leftoversConsumer({ engine: first(), log: silentLog }));
    deps.isAwaited = first().isAwaited;
    for (const engine of engines) await engine.start();
    const tenantId = await buildTenant(db);
    admin = await buildUser(db, tenantId, 'admin');
    user = await buildUser(db, tenantId, 'user');
  });
  const first = () => engines[0] as Engine & { close(): Promise<void> };
  const api: TestApi = useApi(db, () => ({
    engine: first(),
    pipelines: { items: { intake: itemsIntake(first(), silentLog, deps), readings: itemsReadings(deps.store) } },
    handlers: { ...ownHandlers, ...uploadHandlers({ store: deps.store }), ...itemsHandlers(deps) },
  }));
  afterAll(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
    await deps.store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const bench = {
    db,
    api,
    deps,
    folder,
    get engine() {
      return first();
    },
    get admin() {
      return admin;
    },
    get user() {
      return user;
    },
    async upload(
      url: string,
      text: string | Uint8Array,
      name: string,
      { fields = {}, as = admin }: { fields?: Record<string, string>; as?: { token: string } } = {},
    ): Promise<Answered> {
      const form = new FormData();
      for (const [key, value] of Object.entries(fields)) form.set(key, value);
      form.set('file', new Blob([typeof text === 'string' ? text : Buffer.from(text)]), name);
      const request = new Request('http://localhost/', { method: 'POST', body: form });
      const answer = await api.server.inject({
        method: 'POST',
        url,
        headers: { authorization: `Bearer ${as.token}`, 'content-type': request.headers.get('content-type') ?? '' },
        payload: Buffer.from(await request.arrayBuffer()),
      });
      return { status: answer.statusCode, body: answer.json() };
    },
    /** Submits rows and returns the job's id. */
    async submit(
      rows: string | readonly string[],
      fields: Record<string, string> = {},
      as: { token: string } = admin,
    ): Promise<string> {
      const text = typeof rows === 'string' ? rows : rows.join('\n');
      const { status, body } = await bench.upload('/api/jobs', text, 'rows.csv', { fields, as });
      if (status !== 202) throw new Error(`not taken: ${status} ${JSON.stringify(body)}`);
      return body.jobId;
    },
    async call(
      operation: OperationId,
      jobId: string,
      more: {
        params?: Record<string, string>;
        query?: Record<string, string>;
        body?: unknown;
        as?: { token: string };
      } = {},
    ): Promise<Answered> {
      const { params = {}, as = admin, ...rest } = more;
      const answer = await api.call(operation, { as, params: { job_id: jobId, ...params }, ...rest });
      return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
    },
    async job(jobId: string): Promise<Body> {
      return (await bench.call('jobs.show', jobId)).body;
    },
    ended: (jobId: string): Promise<Body> =>
      waitFor(
        async () => {
          const job = await bench.job(jobId);
          return job.queue_state === 'DONE' || job.queue_state === 'FAILED' ? job : undefined;
        },
        { what: `job ${jobId} to end` },
      ),
    async items(jobId: string, query: Record<string, string> = {}): Promise<Body[]> {
      const all: Body[] = [];
      for (let after: string | undefined; ; ) {
        const { body } = await bench.call('jobs.items', jobId, {
          query: { ...query, ...(after === undefined ? {} : { after }) },
        });
        all.push(...body.data);
        if (body.next === null) return all;
        after = body.next;
      }
    },
  };
  return bench;
}

/** A job with one item, an export and a catalogue, without a pipeline. */
export async function buildJob(
  admin: Queryable,
  {
    tenantId,
    runId,
    mark,
    userId = null,
    status = 'DONE',
  }: { tenantId: string; runId: string; mark: string; userId?: string | null; status?: string },
): Promise<{ jobId: string; itemId: string; exportId: string; catalogId: string }> {
  const [jobId, exportId, catalogId] = [uuidv7(), uuidv7(), uuidv7()];
  await admin.query(
    `insert into item_jobs (job_id, tenant_id, user_id, file_name, job_type, processor, processor_version, options, input_columns, latest_run_id, ingested_at,
       total_items, done_items)
     values ($1, $2, (select id from users where user_id = $3), $4, 'csv', 'catalog', 1, jsonb_build_object('catalog_id', $7::uuid), '["Title"]', $5, engine.now(), 1, $6)`,
    [jobId, tenantId, userId, mark, runId, status === 'DONE' ? 1 : 0, catalogId],
  );
  const { rows } = await admin.query<{ id: string }>(
    `insert into job_items (tenant_id, job_id, user_id, job_type, row_index, input_json, normalized_json, result_json, status)
     select $1, $2, j.user_id, 'csv', 0, jsonb_build_object('Title', $3::text), jsonb_build_object('title', $3::text),
            jsonb_build_object('title', $3::text), $4
     from item_jobs j where j.job_id = $2 returning id::text`,
    [tenantId, jobId, mark, status],
  );
  await admin.query(
    `insert into item_pieces (tenant_id, job_id, from_row, to_row, stored_at)
     select tenant_id, job_id, 0, 1, updated_at from job_items where job_id = $1 and status = 'PENDING'`,
    [jobId],
  );
  await admin.query(
    `insert into item_exports (export_id, tenant_id, job_id, format, as_of, blob_id, bytes, rows) values ($1, $2, $3, 'csv', engine.now(), $1, 0, 1)`,
    [exportId, tenantId, jobId],
  );
  await admin.query(
    `insert into item_catalogs (catalog_id, tenant_id, name, version, file_name, row_count) values ($1, $2, $3, 1, $3, 1)`,
    [catalogId, tenantId, mark],
  );
  return { jobId, itemId: rows[0]?.id ?? '', exportId, catalogId };
}
