// The specification's clauses word by word, where other tests assert less: the whole shape of a run, the fields of both log lines, tables and columns, lists by
// status, what a failure and a skip leave, and every variable with its default.
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildTenant, buildUser } from '../../../test/support/api.ts';
import { prose, useDocuments } from '../../../test/support/documents.ts';
import { keepLines } from '../../../test/support/log-lines.ts';
import { sweepBlobs } from '../../engine/blobs/sweep-blobs.ts';
import { configSchema, readSettings, settingsByKey } from '../../platform/config.ts';
import { workerUrlOf } from './delivery/delivery-shape.ts';
import { documentSettings } from './settings.ts';

const kept = keepLines();
const bench = useDocuments({ passagesPerPart: 2 }, kept.log);
const { api } = bench;
let seed = 0;
const text = () => {
  seed += 1;
  return `${prose(seed, 30).join('\n\n')}\n`;
};
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe('a run', () => {
  it('is shown in the shape of the specification, with the receipt beside its figures and nothing that it does not name', async () => {
    const bytes = Buffer.from(text());
    const { docId, run } = await bench.ingest(bytes, 'IT security.txt', { fields: { title: 'IT Security Policy' } });
    const shown = (await api.call('ingestion-runs.show', { as: bench.admin, params: { run_id: run.id } })).json();
    const config = {
      source_type: 'upload',
      created_by_user_id: bench.admin.userId,
      upload_uri: `/v1/uploads/${run.id}/original`,
      title: 'IT Security Policy',
      original_filename: 'IT security.txt',
      content_type: 'text/plain',
      file_size_bytes: bytes.length,
      content_hash: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    };
    expect(shown).toEqual({
      run_id: run.id,
      tenant_id: bench.admin.tenantId,
      status: 'succeeded',
      run_type: 'manual_upload',
      created_at: time,
      started_at: time,
      finished_at: time,
      config: { ...config, retry_of: null, retried_as: null, replay_of: null },
      stats: expect.objectContaining({ docs_processed: 1, read: 1, text: 1 }),
      error: null,
      // Beside the specification's.
      pipeline: 'documents',
      updated_at: time,
      error_code: null,
      held: false,
      attempts: 1,
      work_run_id: run.id,
    });
    const { rows: chunks } = await bench.db.admin.query(
      'select count(*)::int as n, sum(token_count)::int as tokens from chunks where doc_id = $1',
      [docId],
    );
    expect(shown.stats).toMatchObject({ chunks_created: chunks[0].n, tokens_total: chunks[0].tokens });
    const { rows } = await bench.db.admin.query('select * from ingestion_runs where run_id = $1', [run.id]);
    expect(rows).toMatchObject([
      {
        status: 'succeeded',
        run_type: 'manual_upload',
        source_id: null,
        initiated_by: bench.admin.userId,
        error: null,
      },
    ]);
    expect(rows[0].config).toEqual(config);
  });

  it('of another tenant is not there, and no field of an upload chooses the tenant', async () => {
    const { run } = await bench.ingest(text(), 'mine.txt');
    const stranger = await buildUser(bench.db, await buildTenant(bench.db, 'Strangers'), 'admin');
    const asked = await api.call('ingestion-runs.show', { as: stranger, params: { run_id: run.id } });
    expect([asked.statusCode, asked.json().code]).toEqual([404, 'run_not_found']);
    const named = { workspace_id: bench.admin.tenantId };
    expect(await bench.upload(text(), 'x.txt', { as: stranger, fields: named })).toMatchObject({
      status: 403,
      body: { code: 'workspace_mismatch' },
    });
    const field = { tenant_id: bench.admin.tenantId };
    expect(await bench.upload(text(), 'x.txt', { as: stranger, fields: field })).toMatchObject({ status: 400 });
  });
});

describe('the log', () => {
  it('has every field of ingest_job_submitted and ingest_job_complete', async () => {
    const { docId, run } = await bench.ingest(text(), 'logged.txt');
    const line = (event: string) => kept.lines.find((each) => each.event === event && each.run_id === run.id) ?? {};
    const submitted = line('ingest_job_submitted');
    expect(submitted).toMatchObject({
      tenant_id: bench.admin.tenantId,
      user_id: bench.admin.userId,
      doc_id: docId,
      dedup_result: 'new',
    });
    for (const field of [
      ...['ts', 'event', 'filename', 'content_type', 'size_bytes', 'content_hash', 'source_uri', 'upload_uri'],
      ...['delegation_mode', 'delegation_success'],
    ])
      expect([field, submitted[field]]).toEqual([field, expect.anything()]);
    const complete = line('ingest_job_complete');
    expect(complete).toMatchObject({
      tenant_id: bench.admin.tenantId,
      doc_id: docId,
      status: 'succeeded',
      chunks_created: run.receipt?.chunks_created,
      tokens_total: run.receipt?.tokens_total,
    });
    expect(complete.ts).toEqual(expect.anything());
    expect(Number(complete.duration_ms)).toBeGreaterThan(0);
    expect(Number(complete.queue_wait_ms)).toBeGreaterThanOrEqual(0);
    const stages = complete.stages as Record<string, number>;
    expect(Object.keys(stages).sort()).toEqual(['chunk_ms', 'db_write_ms', 'embed_ms', 'extract_ms', 'fts_ms']);
    for (const [stage, ms] of Object.entries(stages)) expect([stage, ms]).toEqual([stage, expect.any(Number)]);
    expect(kept.lines.filter((each) => each.event === 'ingest_job_complete' && each.run_id === run.id)).toHaveLength(1);
  });
});

const tables = ['documents', 'document_versions', 'document_pages', 'chunks', 'chunk_embeddings', 'document_files'];
const rowCounts = async () =>
  Object.fromEntries(
    await Promise.all(
      [...tables, 'engine.runs', 'engine.attempts'].map(async (each) => [each, await bench.count(each)] as const),
    ),
  );
const files = () =>
  readdirSync(path.join((bench.deps.store as unknown as { root: string }).root, bench.admin.tenantId)).length;

describe('an upload that is not taken', () => {
  it('leaves no row in any table and no file when its bytes are served already, under whatever name and by whomever', async () => {
    const bytes = text();
    const { docId } = await bench.ingest(bytes, 'first.txt');
    const before = [await rowCounts(), files()];
    const user = await buildUser(bench.db, bench.admin.tenantId, 'user');
    for (const as of [bench.admin, user])
      expect(await bench.upload(bytes, 'other.txt', { as })).toEqual({
        status: 200,
        body: { doc_id: docId, status: 'skipped', reason: 'already ingested, no changes' },
      });
    expect([await rowCounts(), files()]).toEqual(before);
  });

  it('leaves no row and no file when it is refused', async () => {
    const before = [await rowCounts(), files()];
    for (const [bytes, name] of [
      ['a,b\n1,2\n', 'table.csv'],
      ['', 'empty.txt'],
      ['<html><body>x</body></html>', 'page.pdf'],
    ] as const)
      expect((await bench.upload(bytes, name)).status).toBeGreaterThanOrEqual(400);
    expect([await rowCounts(), files()]).toEqual(before);
  });

  it('leaves no row when the database refuses it after its bytes were stored; the bytes are swept after UPLOAD_CLEANUP_TTL_HOURS', async () => {
    const before = await rowCounts();
    const stored = files();
    await bench.db.admin.query(
      `create function refuse_documents() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
       create trigger refuse_documents before insert on documents for each row execute function refuse_documents()`,
    );
    const answer = await bench.upload(text(), 'unlucky.txt');
    await bench.db.admin.query('drop trigger refuse_documents on documents; drop function refuse_documents()');
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(await rowCounts()).toEqual(before);
    const sweep = () => sweepBlobs(bench.engine.pools.control, bench.deps.store);
    await sweep();
    await bench.db.admin.query(
      `update engine.blobs set keep_until = engine.now() - interval '1 minute', stored_at = stored_at - interval '25 hours'
       where deleted_at is null and not exists (select from engine.runs r where r.blob_id = engine.blobs.blob_id)`,
    );
    await sweep();
    expect(files()).toBe(stored);
  });
});

describe('the list', () => {
  it('has active documents, inactive ones or all, finds titles, and says which is which', async () => {
    const tenant = await buildUser(bench.db, await buildTenant(bench.db, 'Lists'), 'admin');
    const ingest = async (title: string) => {
      const { body } = await bench.upload(text(), 'x.txt', { as: tenant, fields: { title } });
      await bench.ended(body.run_id ?? '', tenant.tenantId);
      return body.doc_id;
    };
    const [active, inactive] = [await ingest('Leave policy'), await ingest('Travel policy')];
    await bench.ended(
      (await bench.upload('%PDF-1.4\nx', 'never.pdf', { as: tenant })).body.run_id ?? '',
      tenant.tenantId,
    );
    await api.call('documents.deactivate', { as: tenant, params: { doc_id: inactive }, body: {} });
    const listed = async (query: Record<string, string>) =>
      (await api.call('documents.list', { as: tenant, query }))
        .json()
        .data.map((each: { doc_id: string; status: string }) => [each.doc_id, each.status]);
    expect(await listed({})).toEqual([[active, 'active']]);
    expect(await listed({ status: 'active' })).toEqual([[active, 'active']]);
    expect(await listed({ status: 'inactive' })).toEqual([[inactive, 'inactive']]);
    expect(await listed({ status: 'all' })).toEqual([
      [inactive, 'inactive'],
      [active, 'active'],
    ]);
    expect(await listed({ status: 'all', search: 'TRAVEL' })).toEqual([[inactive, 'inactive']]);
    expect((await api.call('documents.list', { as: tenant, query: { status: 'gone' } })).statusCode).toBe(400);
  });
});

describe('search', () => {
  it('asks whether a version is active, also where rows of one that is not stand in the search tables', async () => {
    const { docId } = await bench.ingest('# Lighthouse\n\nThe keeper of the lighthouse counts ships.\n', 'light.md');
    const found = async () => {
      const answer = await api.call('search.run', { as: bench.admin, body: { query: 'lighthouse keeper' } });
      return JSON.stringify(answer.json()).includes(docId);
    };
    expect(await found()).toBe(true);
    const own = `doc_version_id = (select doc_version_id from document_versions where doc_id = '${docId}')`;
    await bench.db.admin.query('update document_versions set is_active = false where doc_id = $1', [docId]);
    expect(await bench.count('chunk_terms', own)).toBeGreaterThan(0);
    expect(await bench.count('chunk_embeddings', own)).toBeGreaterThan(0);
    expect(await found()).toBe(false);
  });
});

describe('the tables', () => {
  it('have the columns of the specification: identity without a hash, the hash on the version, both never null', async () => {
    const { rows } = await bench.db.admin.query<{ name: string; type: string; nullable: boolean }>(
      `select table_name || '.' || column_name as name, udt_name as type, is_nullable = 'YES' as nullable
       from information_schema.columns where table_schema = 'public'`,
    );
    const columns = new Map(rows.map(({ name, type, nullable }) => [name, `${type}${nullable ? '?' : ''}`]));
    for (const [name, type] of [
      ...[
        ['documents.doc_id', 'uuid'],
        ['documents.tenant_id', 'uuid'],
        ['documents.source_type', 'text'],
        ['documents.source_uri', 'text'],
        ['documents.title', 'text'],
        ['documents.created_at', 'timestamptz'],
        ['documents.content_hash', undefined],
      ],
      ...[
        ['document_versions.content_hash', 'text'],
        ['document_versions.is_active', 'bool'],
        ['document_versions.version_label', 'text'],
        ['document_versions.tenant_id', 'uuid'],
      ],
      ...['chunks', 'chunk_embeddings', 'chunk_fts'].map((table) => [`${table}.tenant_id`, 'uuid']),
      ['chunk_fts.tsv', 'tsvector'],
    ])
      expect([name, columns.get(name ?? '')]).toEqual([name, type]);
    for (const table of [
      ...['document_pages', 'chunk_passages', 'embedding_models', 'vector_ledger', 'chunk_terms'],
      'document_tombstones',
    ])
      expect([table, [...columns.keys()].some((name) => name.startsWith(`${table}.`))]).toEqual([table, true]);
  });

  it('know one document of a source, and statuses that are the specification’s', async () => {
    const { rows } = await bench.db.admin.query<{ name: string; def: string }>(
      `select indexname as name, indexdef as def from pg_indexes where schemaname = 'public'`,
    );
    const definition = (name: string) => rows.find((each) => each.name === name)?.def;
    expect(definition('idx_documents_source_uri')).toMatch(/^CREATE UNIQUE INDEX .*\(tenant_id, source_uri\)$/);
    expect(definition('idx_doc_versions_one_active')).toMatch(
      /^CREATE UNIQUE INDEX .*\(tenant_id, doc_id\) WHERE \(is_active = true\)$/,
    );
    const { rows: states } = await bench.db.admin.query(
      `select status, phase from engine.states where pipeline = 'documents' order by status`,
    );
    expect(states).toEqual([
      { status: 'failed', phase: 'failed' },
      { status: 'queued', phase: 'waiting' },
      { status: 'running', phase: 'active' },
      { status: 'succeeded', phase: 'done' },
    ]);
  });
});

describe('the variables', () => {
  it('of the specification exist under their names, with its defaults or the ones that a decision gives them', () => {
    const known = new Map(
      [configSchema.shape, documentSettings.shape].flatMap((shape) =>
        settingsByKey(shape).map(([key, info]) => [info.env, key] as const),
      ),
    );
    const values = {
      ...readSettings({ environment: {} }, { shape: configSchema.shape } as never),
      ...readSettings({ environment: {} }, documentSettings),
    } as Record<string, unknown>;
    const defaults = {
      // Made at the first start and kept.
      JWT_SECRET: undefined,
      JWT_EXPIRY_HOURS: 24,
      AUTH_ENABLED: true,
      INTERNAL_AUTH_TOKEN: undefined,
      // S4-1: the ledger itself.
      INGEST_MODE: 'ledger',
      // 0540: MILLRACE_HOME/blobs.
      UPLOAD_STORE_PATH: undefined,
      UPLOAD_MAX_SIZE_MB: 50,
      UPLOAD_CLEANUP_TTL_HOURS: 24,
      UPLOAD_FAILED_TTL_DAYS: 7,
      INGEST_WORKER_TIMEOUT_MS: 300_000,
      WORKER_MAX_CONCURRENT_JOBS: 3,
      CRASH_GUARD_QUEUED_TTL_HOURS: 1,
      CRASH_GUARD_RUNNING_STALE_MIN: 15,
      SQS_QUEUE_URL: undefined,
      SQS_REGION: 'ap-southeast-2',
      SQS_DLQ_URL: undefined,
      SQS_MAX_RECEIVE_COUNT: 3,
      // S4-20: the model that comes with the package.
      EMBEDDING_MODEL: undefined,
      EMBEDDING_DIM: 0,
    };
    for (const [name, value] of Object.entries(defaults)) {
      expect([name, known.has(name)]).toEqual([name, true]);
      expect([name, values[known.get(name) ?? '']]).toEqual([name, value]);
    }
    expect(workerUrlOf(readSettings({ environment: {} }, documentSettings))).toBe('http://ingest-worker:8002');
    const short = () => readSettings({ environment: { INTERNAL_AUTH_TOKEN: 'x'.repeat(31) } }, documentSettings);
    expect(short).toThrow(/INTERNAL_AUTH_TOKEN must have at least 32 characters/);
    expect(() => readSettings({ environment: { EMBEDDING_BATCH: '257' } }, documentSettings)).toThrow(
      /EMBEDDING_BATCH/,
    );
  });
});
