// The table of write ownership, held by the database: what the API and the worker may and may not write, whatever the code does.
import { beforeAll, describe, expect, it } from 'vitest';
import { buildTenant } from '../../../test/support/api.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { buildDocument } from '../../../test/support/documents.ts';
import { buildEngine, buildPipeline } from '../../../test/support/engine.ts';
import { withTenant } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';

const db = useDatabase();
let tenantId: string;
let docId: string;

beforeAll(async () => {
  tenantId = await buildTenant(db);
  docId = await buildDocument(db.admin, { tenantId, title: 'Owned' });
});

/** undefined: allowed. */
async function refusal(role: string, text: string, values: unknown[] = []): Promise<string | undefined> {
  const rolledBack = new Error('rolled back');
  const error = await withTenant(db.app, { tenantId, role }, async (tx) => {
    await tx.query(text, values);
    throw rolledBack;
  }).catch((thrown: unknown) => thrown);
  return error === rolledBack ? undefined : String((error as Error).message);
}

const content = [
  'document_versions',
  'document_pages',
  'chunks',
  'chunk_passages',
  'chunk_embeddings',
  'chunk_fts',
  'chunk_terms',
  'vector_ledger',
];

describe('write ownership', () => {
  it('the API creates and renames documents; it inserts into no content table', async () => {
    const insert = `insert into documents (doc_id, tenant_id, source_type, source_uri, title) values ($1, $2, 'pdf', $3, 't')`;
    expect(await refusal('documents_api', insert, [uuidv7(), tenantId, 'upload://x'])).toBeUndefined();
    expect(await refusal('documents_api', `update documents set title = 'u'`)).toBeUndefined();
    expect(await refusal('documents_api', `update documents set source_uri = 'u'`)).toMatch(/permission denied/);
    expect(await refusal('documents_api', `delete from documents`)).toMatch(/permission denied/);
    for (const table of [...content, 'embedded_texts'])
      expect([table, await refusal('documents_api', `insert into ${table} default values`)]).toEqual([
        table,
        expect.stringMatching(/permission denied/),
      ]);
  });

  it('the API may stop serving a version and never start to', async () => {
    expect(await refusal('documents_api', `update document_versions set is_active = false`)).toBeUndefined();
    expect(await refusal('documents_api', `update document_versions set is_active = true`)).toMatch(
      /row-level security/,
    );
    expect(await refusal('documents_api', `update document_versions set content_hash = 'x'`)).toMatch(
      /permission denied/,
    );
  });

  it('the worker writes content and no document, tombstone or run', async () => {
    expect(await refusal('documents_worker', `update document_versions set page_count = 2`)).toBeUndefined();
    // Nobody changes content that was made: not the worker, not the API, not the app.
    for (const [table, change] of [
      ['chunks', `text = 'u'`],
      ['chunk_embeddings', `embedding = ''`],
      ['chunk_fts', `tsv = ''`],
      ['chunk_passages', `token_count = 1`],
      ['chunk_terms', `counts = '{}'`],
      ['document_pages', `text = 'u'`],
    ])
      for (const role of ['documents_worker', 'documents_api', 'documents_purge', 'millrace_app'])
        expect([role, table, await refusal(role, `update ${table} set ${change}`)]).toEqual([
          role,
          table,
          expect.stringMatching(/permission denied/),
        ]);
    expect(await refusal('documents_worker', `update documents set title = 'u'`)).toMatch(/permission denied/);
    expect(await refusal('documents_worker', `insert into documents select * from documents`)).toMatch(
      /permission denied/,
    );
    expect(
      await refusal('documents_worker', `insert into document_tombstones select * from document_tombstones`),
    ).toMatch(/permission denied/);
    expect(await refusal('documents_worker', `update engine.runs set status = 'failed'`)).toMatch(/permission denied/);
  });

  it('the app itself only reads', async () => {
    for (const table of ['documents', ...content]) {
      expect([table, await refusal('millrace_app', `select * from ${table}`)]).toEqual([table, undefined]);
      expect([table, await refusal('millrace_app', `delete from ${table}`)]).toEqual([
        table,
        expect.stringMatching(/permission denied/),
      ]);
    }
  });

  it('without a tenant nothing is seen, and at most one version of a document is active', async () => {
    const { rows } = await withTenant(db.app, { tenantId: '', role: 'documents_worker' }, (tx) =>
      tx.query('select * from documents'),
    );
    expect(rows).toEqual([]);
    const second = `insert into document_versions (doc_version_id, tenant_id, doc_id, version_no, content_hash, is_active, run_id, source_seq,
      source_type, unit, ready_at) values ($1, $2, $3, 2, 'h', true, $4, 2, 'pdf', 'page', engine.now())`;
    expect(await refusal('documents_worker', second, [uuidv7(), tenantId, docId, uuidv7()])).toMatch(
      /idx_doc_versions_one_active/,
    );
  });

  it('ingestion_runs has the columns of the specification and shows documents only', async () => {
    const work = async () => 'complete';
    const engine = await buildEngine(db.appUrl, [buildPipeline('documents', work), buildPipeline('letters', work)]);
    const runs = await engine.enqueueMany(
      ['documents', 'letters'].map((pipeline) => ({ pipeline, tenantId, input: {} })),
    );
    await engine.close();
    const { rows: shown } = await db.admin.query('select run_id from ingestion_runs where tenant_id = $1', [tenantId]);
    expect(shown).toEqual([{ run_id: runs[0]?.id }]);
    const { fields } = await db.admin.query('select * from ingestion_runs limit 0');
    expect(fields.map(({ name }) => name).sort()).toEqual(
      [
        'run_id',
        'tenant_id',
        'status',
        'run_type',
        'source_id',
        'initiated_by',
        'config',
        'stats',
        'error',
        'created_at',
        'started_at',
        'updated_at',
        'finished_at',
      ].sort(),
    );
  });
});
