// Lines of the specification that no other test of documents is about: identity, the tracking row, heartbeats, activation as others see it,
// names in the database, lists, rights and the table of failures.
import { afterEach, describe, expect, it } from 'vitest';
import { buildTenant, buildUser } from '../../../test/support/api.ts';
import { prose, useDocuments } from '../../../test/support/documents.ts';
import { hashEmbedder } from '../../../test/support/documents-deps.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';

const embedder = hashEmbedder();
const plainEmbed = embedder.embed;
const bench = useDocuments({ embedder, passagesPerPart: 2 });
const { api } = bench;
const text = (seed: number, sentences = 12) => `${prose(seed, sentences).join('\n\n')}\n`;
const tracked = async (runId: string) => {
  const { rows } = await bench.db.admin.query('select * from ingestion_runs where run_id = $1', [runId]);
  return rows[0];
};

afterEach(() => {
  embedder.embed = plainEmbed;
});

describe('identity', () => {
  it('an upload is known by its content: source_uri is upload://sha256 and the hash stands on the version', async () => {
    const { docId } = await bench.ingest(text(1), 'a.txt');
    const { rows } = await bench.db.admin.query(
      `select d.source_uri, v.content_hash from documents d join document_versions v using (tenant_id, doc_id) where d.doc_id = $1`,
      [docId],
    );
    expect(rows[0].source_uri).toBe(`upload://${rows[0].content_hash}`);
    expect(rows[0].content_hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    const changed = await bench.upload(`${text(1)}one more line\n`, 'a.txt');
    expect(changed.body.doc_id).not.toBe(docId);
    await bench.ended(changed.body.run_id ?? '');
  });

  it('a document without an active version is processed again, under its own id', async () => {
    const broken = '%PDF-1.4\nnothing follows';
    const first = await bench.ingest(broken, 'broken.pdf');
    const second = await bench.ingest(broken, 'broken.pdf');
    expect([second.docId, second.run.id === first.run.id]).toEqual([first.docId, false]);
  });
});

describe('the tracking row', () => {
  it('is queued with created_at and without started_at until a worker begins', async () => {
    await bench.engine.pause('documents', 'test');
    const { body } = await bench.upload(text(2), 'queued.txt');
    expect(await tracked(body.run_id ?? '')).toMatchObject({
      status: 'queued',
      created_at: expect.any(Date),
      started_at: null,
      finished_at: null,
      error: null,
    });
    const shown = await api.call('ingestion-runs.show', { as: bench.admin, params: { run_id: body.run_id ?? '' } });
    expect(shown.json()).toMatchObject({ status: 'queued', started_at: null, finished_at: null });
    await bench.engine.unpause('documents');
    await bench.ended(body.run_id ?? '');
    const row = await tracked(body.run_id ?? '');
    expect(row.status).toBe('succeeded');
    expect([row.created_at, row.started_at, row.finished_at]).toEqual(
      [row.created_at, row.started_at, row.finished_at].sort((a, b) => a - b),
    );
  });

  it('keeps started_at over a failed embedding that is tried again, and moves updated_at with every part', async () => {
    let calls = 0;
    const seen: number[] = [];
    const { body } = await (async () => {
      embedder.embed = async (texts) => {
        calls += 1;
        const { rows } = await bench.db.admin.query(
          `select c.updated_at from engine.checkpoints c join engine.runs r on r.id = c.run_id where r.finished_at is null`,
        );
        seen.push(Number(rows[0]?.updated_at));
        if (calls === 2) throw new MillraceError('embedding_provider_failed', { reason: 'test' });
        return plainEmbed(texts);
      };
      return bench.upload(text(3, 40), 'beats.txt');
    })();
    const begun = await waitFor(async () => (await tracked(body.run_id ?? ''))?.started_at ?? undefined);
    const run = await bench.ended(body.run_id ?? '');
    expect(run).toMatchObject({ status: 'succeeded', error_code: null });
    expect((await tracked(run.id)).started_at).toEqual(begun);
    expect(new Set(seen).size).toBeGreaterThan(2);
    const { rows } = await bench.db.admin.query('select count(*) as n from engine.attempts where run_id = $1', [
      run.id,
    ]);
    expect(rows[0].n).toBe(2);
  });

  it('moves updated_at after extraction, chunking, embedding and indexing', async () => {
    /** The parts that have moved it so far, as whoever looks at the tracking row sees them. */
    const seen = new Map<string, number>();
    const beatOf = async (runId: string, note: string) => {
      const beat = await waitFor(
        async () => {
          const { rows } = await bench.db.admin.query(
            `select i.updated_at from ingestion_runs i join engine.progress p on p.run_id = i.run_id
             where i.run_id = $1 and p.note = $2 and i.updated_at >= p.updated_at`,
            [runId, note],
          );
          return rows[0] as { updated_at: Date } | undefined;
        },
        { what: `the heartbeat after ${note}` },
      );
      seen.set(note, beat.updated_at.getTime());
    };
    const ids: { run?: string } = {};
    const nextBeat = ['reading', 'cutting', 'embedding'];
    // Each part stands still behind a lock until the part before it was seen.
    const gate = await bench.db.admin.connect();
    try {
      await gate.query('begin');
      await gate.query('lock table chunks in exclusive mode');
      const { body } = await bench.upload(text(30, 40), 'parts.txt');
      ids.run = body.run_id ?? '';
      await beatOf(ids.run, nextBeat[0] ?? '');
      let calls = 0;
      embedder.embed = async (texts) => {
        calls += 1;
        // The first call comes after chunking, the second after the first part of embedding.
        const note = nextBeat[calls];
        if (note !== undefined) await beatOf(ids.run ?? '', note);
        return plainEmbed(texts);
      };
      await gate.query('commit');
      const run = await bench.ended(ids.run);
      expect(run.status).toBe('succeeded');
      await beatOf(ids.run, 'indexing');
      const { finished_at: finishedAt, updated_at: updatedAt } = await tracked(ids.run);
      expect(updatedAt.getTime()).toBeGreaterThanOrEqual(finishedAt.getTime());
    } finally {
      gate.release();
    }
    expect([...seen.keys()]).toEqual(['reading', 'cutting', 'embedding', 'indexing']);
    const beats = [...seen.values()];
    expect(beats).toEqual(beats.toSorted((a, b) => a - b));
    expect(new Set(beats).size).toBe(4);
  });

  it('a provider that refuses for good fails the run, without content', async () => {
    embedder.embed = async () => {
      throw new MillraceError('embedding_provider_refused', { reason: 'wrong key' });
    };
    const { docId, run } = await bench.ingest(text(4), 'refused.txt');
    expect(run).toMatchObject({ status: 'failed', error_code: 'embedding_provider_refused' });
    const [pages, chunks, versions] = ['document_pages', 'chunks', 'document_versions'];
    await waitFor(async () => (await bench.count(versions, `doc_id = '${docId}'`)) === 0 || undefined, {
      what: 'no version',
    });
    // Of no version and of no other document: what stands there belongs to one that is there.
    for (const table of [pages, chunks, 'chunk_passages', 'chunk_fts', 'chunk_embeddings', 'chunk_terms'])
      expect([
        table,
        await bench.count(
          `${table} t`,
          `not exists (select from document_versions v where v.tenant_id = t.tenant_id and v.doc_version_id = t.doc_version_id)`,
        ),
      ]).toEqual([table, 0]);
    expect(await bench.count(chunks, `doc_id = '${docId}'`)).toBe(0);
  });
});

describe('activation', () => {
  it('is one moment for everybody else: never two versions, never vectors of the old one, never none', async () => {
    const { docId } = await bench.ingest(text(5, 60), 'moment.txt');
    const looks: string[] = [];
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const { rows } = await bench.db.admin.query(
          `select count(*) filter (where v.is_active) as active,
                  (select count(distinct e.doc_version_id) from chunk_embeddings e join document_versions x using (tenant_id, doc_version_id) where x.doc_id = $1) as searched
           from document_versions v where v.doc_id = $1`,
          [docId],
        );
        looks.push(`${rows[0].active}/${rows[0].searched}`);
      }
    })();
    const asked = await api.call('documents.page-retry', {
      as: bench.admin,
      params: { doc_id: docId, version: '1', page_no: '2' },
      body: { how: 'exclude' },
    });
    await bench.ended(asked.json().run_id);
    isOver = true;
    await watching;
    expect(looks.length).toBeGreaterThan(5);
    expect([...new Set(looks)]).toEqual(['1/1']);
  });
});

describe('the database', () => {
  it('has the tables, indexes and columns of the specification under their names', async () => {
    const { rows } = await bench.db.admin.query<{ indexname: string; indexdef: string }>(
      `select indexname, indexdef from pg_indexes where schemaname = 'public'`,
    );
    const definitions = new Map(rows.map(({ indexname, indexdef }) => [indexname, indexdef]));
    for (const [name, part] of [
      ['idx_documents_tenant', '(tenant_id'],
      ['idx_documents_source_uri', 'UNIQUE INDEX'],
      ['idx_doc_versions_one_active', 'WHERE (is_active = true)'],
      ['idx_doc_versions_dedup', '(tenant_id, doc_id, content_hash)'],
      ['idx_chunks_tenant_version', '(tenant_id, doc_version_id)'],
      ['idx_chunk_embeddings_tenant', '(tenant_id'],
      ['idx_chunk_fts_gin', 'USING gin (tsv)'],
      ['idx_chunk_fts_tenant', '(tenant_id'],
    ] as const)
      expect([name, definitions.get(name)]).toEqual([name, expect.stringContaining(part)]);
  });

  it('finds the served version of a document by its index, row-level security included', async () => {
    const tenantId = await buildTenant(bench.db, 'Many documents');
    const { rows } = await bench.db.admin.query<{ doc_id: string }>(
      `with d as (
         insert into documents (doc_id, tenant_id, source_type, source_uri, title)
         select gen_random_uuid(), $1, 'txt', 'upload://' || n, 'Document ' || n from generate_series(1, 3000) n
         returning doc_id)
       select doc_id from d`,
      [tenantId],
    );
    await bench.db.admin.query(
      `insert into document_versions (doc_version_id, tenant_id, doc_id, version_no, content_hash, is_active, run_id, source_seq, source_type, unit, ready_at)
       select gen_random_uuid(), $1, doc_id, 1, 'sha256:x', true, gen_random_uuid(), 1, 'txt', 'section', engine.now()
       from documents where tenant_id = $1`,
      [tenantId],
    );
    await bench.db.admin.query('analyze document_versions');
    const client = await bench.db.admin.connect();
    try {
      await client.query('begin');
      await client.query(
        `select set_config('role', 'documents_api', true), set_config('millrace.tenant_id', $1, true)`,
        [tenantId],
      );
      const plan = await client.query(
        `explain select v.content_hash from document_versions v
         where v.tenant_id = '${tenantId}' and v.doc_id = '${rows[0]?.doc_id}' and v.is_active`,
      );
      const lines = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(lines).toMatch(/using (idx_doc_versions_(one_active|dedup)|document_versions_number)/);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

describe('lists', () => {
  it('documents come by page with their total, or by cursor, newest first, and never both ways at once', async () => {
    const tenant = await buildUser(bench.db, bench.admin.tenantId, 'user');
    const list = async (query: Record<string, string>) =>
      (await api.call('documents.list', { as: tenant, query })).json();
    const all = await list({ limit: '100' });
    expect(all.total).toBe(all.data.length);
    const first = await list({ page: '1', limit: '2' });
    const second = await list({ page: '2', limit: '2' });
    expect([first, second]).toMatchObject([
      { page: 1, limit: 2, total: all.total, total_pages: Math.ceil(all.total / 2) },
      { page: 2 },
    ]);
    const ids = (page: { data: { doc_id: string }[] }) => page.data.map((each) => each.doc_id);
    expect([...ids(first), ...ids(second)]).toEqual(ids(all).slice(0, 4));
    expect(ids(await list({ limit: '2', after: first.next }))).toEqual(ids(second));
    const both = await api.call('documents.list', { as: tenant, query: { page: '1', after: first.next } });
    expect([both.statusCode, both.json().code]).toEqual([400, 'page_with_cursor']);
  });

  it('runs are listed by page and status for their tenant', async () => {
    const failed = await api.call('ingestion-runs.list', { as: bench.admin, query: { status: 'failed', limit: '5' } });
    expect(failed.json().data.length).toBeGreaterThan(0);
    for (const run of failed.json().data) expect(run).toMatchObject({ status: 'failed', error: expect.any(String) });
  });
});

describe('rights', () => {
  it('a user uploads and reads and does not deactivate; support and strangers see nothing', async () => {
    const { docId } = await bench.ingest(text(6), 'rights.txt');
    const params = { doc_id: docId };
    const user = await buildUser(bench.db, bench.admin.tenantId, 'user');
    const support = await buildUser(bench.db, bench.admin.tenantId, 'support');
    expect((await bench.upload(text(7), 'by-user.txt', { as: user })).status).toBe(202);
    const status = async (as: typeof user, operation: 'documents.show' | 'documents.deactivate') =>
      (await api.call(operation, { as, params, ...(operation === 'documents.show' ? {} : { body: {} }) })).statusCode;
    expect(await status(user, 'documents.show')).toBe(200);
    expect(await status(user, 'documents.deactivate')).toBe(403);
    expect(await status(support, 'documents.show')).toBe(403);
    const nobody = await api.server.inject({ method: 'GET', url: `/v1/documents/${docId}` });
    expect(nobody.statusCode).toBe(401);
  });
});
