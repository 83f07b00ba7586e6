// Documents in tests: a pipeline on a test database with an embedder that costs nothing, the API before it, and files made on the spot.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { EngineRoles } from '../../src/engine/background.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { RunRow } from '../../src/engine/reads/run-columns.ts';
import { ownHandlers } from '../../src/http/handlers.ts';
import { uploadHandlers } from '../../src/http/uploads/upload-handlers.ts';
import { defaultUploadLimits } from '../../src/http/uploads/upload-limits.ts';
import type { DocumentsDeps } from '../../src/pipelines/documents/deps.ts';
import { documentsPipeline } from '../../src/pipelines/documents/documents.pipeline.ts';
import { failuresConsumer } from '../../src/pipelines/documents/failures.ts';
import { changeHandlers } from '../../src/pipelines/documents/http/change-handlers.ts';
import { fileHandlers } from '../../src/pipelines/documents/http/file-handlers.ts';
import { documentsIntake, ingestHandler } from '../../src/pipelines/documents/http/ingest.ts';
import { modelHandlers } from '../../src/pipelines/documents/http/model-handlers.ts';
import { queryHandlers } from '../../src/pipelines/documents/http/query-handlers.ts';
import { readHandlers } from '../../src/pipelines/documents/http/read-handlers.ts';
import { searchHandlers } from '../../src/pipelines/documents/http/search-handlers.ts';
import type { Queryable } from '../../src/platform/database.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { type Log, silentLog } from '../../src/platform/log.ts';
import { buildTenant, buildUser, type TestApi, type TestUser, useApi } from './api.ts';
import { useDatabase } from './database.ts';
import { documentsDeps } from './documents-deps.ts';
import { buildEngine, endOfRun, LONG_LEASE } from './engine.ts';

export { buildPdf, type PageSpec, prose, rawPages, rawPdf, textContent } from './document-files.ts';

export function documentHandlers(deps: DocumentsDeps) {
  return {
    ...ingestHandler({ store: deps.store, limits: defaultUploadLimits }),
    ...readHandlers,
    ...fileHandlers(deps),
    ...changeHandlers(deps),
    ...searchHandlers(deps.search),
    ...queryHandlers,
    ...modelHandlers(deps),
  };
}

export interface Ingested {
  readonly status: number;
  readonly body: { run_id?: string; doc_id: string; status: string; reason?: string; code?: string };
}

export interface DocumentsBench {
  /** What the engine of the bench does. Default: everything. */
  readonly roles?: EngineRoles;
  /** Called before it starts. */
  readonly prepare?: (engine: Engine, deps: DocumentsDeps) => void;
}

export function useDocuments(
  over: Partial<DocumentsDeps> = {},
  log: Log = silentLog,
  { roles, prepare }: DocumentsBench = {},
) {
  const db = useDatabase();
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-documents-'));
  const deps = documentsDeps(folder, over);
  let engine: Engine & { close(): Promise<void> };
  let admin: TestUser;
  beforeAll(async () => {
    engine = await buildEngine(db.appUrl, [documentsPipeline(deps)], { log, settings: LONG_LEASE });
    engine.consume(failuresConsumer({ engine, log, failedTtlDays: deps.failedTtlDays }));
    prepare?.(engine, deps);
    await engine.start(roles);
    admin = await buildUser(db, await buildTenant(db), 'admin');
  });
  const api: TestApi = useApi(db, () => ({
    engine,
    log,
    pipelines: { documents: { intake: documentsIntake(engine, log) } },
    handlers: { ...ownHandlers, ...uploadHandlers({ store: deps.store }), ...documentHandlers(deps) },
  }));
  afterAll(async () => {
    await engine.close();
    deps.embedder.close();
    await deps.store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const bench = {
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
    async upload(
      bytes: Uint8Array | string,
      name: string,
      { fields = {}, as = admin }: { fields?: Record<string, string>; as?: TestUser } = {},
    ): Promise<Ingested> {
      const form = new FormData();
      for (const [key, value] of Object.entries(fields)) form.set(key, value);
      form.set('file', new Blob([typeof bytes === 'string' ? bytes : Buffer.from(bytes)]), name);
      const request = new Request('http://localhost/', { method: 'POST', body: form });
      const answer = await api.server.inject({
        method: 'POST',
        url: '/v1/ingest',
        headers: { authorization: `Bearer ${as.token}`, 'content-type': request.headers.get('content-type') ?? '' },
        payload: Buffer.from(await request.arrayBuffer()),
      });
      return { status: answer.statusCode, body: answer.json() };
    },
    ended: (runId: string, tenantId = admin.tenantId): Promise<RunRow> => endOfRun(engine, tenantId, runId),
    /** Uploads and waits for its end. */
    async ingest(
      bytes: Uint8Array | string,
      name: string,
      options?: { fields?: Record<string, string>; as?: TestUser },
    ) {
      const answer = await bench.upload(bytes, name, options);
      if (answer.body.run_id === undefined) throw new Error(`not taken: ${JSON.stringify(answer)}`);
      const run = await bench.ended(answer.body.run_id, options?.as?.tenantId);
      return { docId: answer.body.doc_id, run };
    },
    count: async (table: string, where = 'true'): Promise<number> => {
      const { rows } = await db.admin.query<{ n: number }>(`select count(*) as n from ${table} where ${where}`);
      return rows[0]?.n ?? 0;
    },
  };
  return bench;
}

/** A document with one page that is served, without a pipeline. */
export async function buildDocument(
  admin: Queryable,
  { tenantId, title }: { tenantId: string; title: string },
): Promise<string> {
  const [docId, versionId] = [uuidv7(), uuidv7()];
  await admin.query(
    `insert into documents (doc_id, tenant_id, source_type, source_uri, title) values ($1, $2, 'pdf', $3, $4)`,
    [docId, tenantId, `upload://sha256:${docId}`, title],
  );
  await admin.query(
    `insert into document_versions (doc_version_id, tenant_id, doc_id, version_no, content_hash, is_active, run_id, source_seq, source_type,
       unit, page_count, ready_at, activated_at)
     values ($1, $2, $3, 1, 'sha256:x', true, $4, 1, 'pdf', 'page', 1, engine.now(), engine.now())`,
    [versionId, tenantId, docId, uuidv7()],
  );
  await admin.query(
    `insert into document_pages (tenant_id, doc_version_id, page_no, fate, text) values ($1, $2, 1, 'text', $3)`,
    [tenantId, versionId, title],
  );
  const chunkId = uuidv7();
  await admin.query(
    `insert into chunks (chunk_id, tenant_id, doc_version_id, doc_id, chunk_no, page_from, page_to, text, token_count)
     values ($1, $2, $3, $4, 0, 1, 1, $5, 5)`,
    [chunkId, tenantId, versionId, docId, title],
  );
  await admin.query(
    `insert into chunk_fts (tenant_id, chunk_id, doc_version_id, tsv) values ($1, $2, $3, to_tsvector('simple', $4))`,
    [tenantId, chunkId, versionId, title],
  );
  await admin.query(`select fill_search_tables($1, $2, 'none')`, [tenantId, versionId]);
  await admin.query(`update document_versions set chunk_count = 1, term_length = 5 where doc_version_id = $1`, [
    versionId,
  ]);
  return docId;
}

/** A question that was asked, and another in a conversation, both by one person. */
export async function buildQuery(
  admin: Queryable,
  { tenantId, userId, mark }: { tenantId: string; userId: string; mark: string },
): Promise<{ queryId: string; conversationId: string }> {
  const [queryId, conversationId] = [uuidv7(), uuidv7()];
  await admin.query(`insert into conversations (conversation_id, tenant_id, owner_id, title) values ($1, $2, $3, $4)`, [
    conversationId,
    tenantId,
    userId,
    mark,
  ]);
  await admin.query(
    `insert into queries (query_id, tenant_id, asked_by, asked_by_name, conversation_id, question, status, result)
     values ($1, $3, $4, 'somebody', null, $5, 'abstained', '{}'), ($2, $3, $4, 'somebody', $6, $5, 'abstained', '{}')`,
    [queryId, uuidv7(), tenantId, userId, mark, conversationId],
  );
  return { queryId, conversationId };
}
