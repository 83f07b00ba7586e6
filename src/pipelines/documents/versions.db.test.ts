// Which version is served when several runs meet: the newest observation of the source wins, whoever ends first.
import { describe, expect, it } from 'vitest';
import { useDocuments } from '../../../test/support/documents.ts';
import { observeAt } from '../../../test/support/observed-documents.ts';

const bench = useDocuments();
const { api } = bench;

const text = (word: string) => `${`The ${word} of the committee is kept in the archive for ten years. `.repeat(20)}\n`;

/** As a source does that knows its files by their place. */
const observe = (place: string, content: string) => observeAt(bench, place, 'minutes.txt', Buffer.from(content));

const versions = async (docId: string): Promise<{ version_label: string; is_active: boolean }[]> =>
  (await api.call('documents.show', { as: bench.admin, params: { doc_id: docId } })).json().versions;

describe('versions of a source', () => {
  it('other bytes at the same place are a new version; the same bytes are skipped', async () => {
    const first = await observe('a', text('protocol'));
    await bench.ended(first.runId);
    expect(await observe('a', text('protocol'))).toMatchObject({ status: 'skipped', docId: first.docId });
    const second = await observe('a', text('report'));
    expect(second).toMatchObject({ status: 'queued', docId: first.docId, dedup: 'new_version' });
    await bench.ended(second.runId);
    expect((await versions(first.docId)).map(({ version_label, is_active }) => [version_label, is_active])).toEqual([
      ['v2', true],
      ['v1', false],
    ]);
    expect(await bench.count('chunk_terms', `term = 'protocol'`)).toBe(0);
    expect(await bench.count('chunk_terms', `term = 'report'`)).toBe(1);
  });

  it('a run of an older observation that ends later does not take the newer one’s place', async () => {
    await bench.engine.pause('documents', 'test');
    const older = await observe('b', text('draft'));
    const newer = await observe('b', text('final'));
    await bench.engine.hold({ tenantId: bench.admin.tenantId, by: 'test' }, older.runId);
    await bench.engine.unpause('documents');
    await bench.ended(newer.runId);
    await bench.engine.resume({ tenantId: bench.admin.tenantId, by: 'test' }, older.runId);
    const late = await bench.ended(older.runId);
    expect(late).toMatchObject({ status: 'succeeded', receipt: { version: 'superseded' } });
    expect(await bench.count('chunk_terms', `term = 'final'`)).toBe(1);
    expect(await bench.count('chunk_terms', `term = 'draft'`)).toBe(0);
    const named = { as: bench.admin, params: { doc_id: newer.docId }, body: {} };
    await api.call('documents.deactivate', named);
    expect((await api.call('documents.reactivate', named)).statusCode).toBe(200);
    expect(await bench.count('chunk_terms', `term = 'final'`), 'what was served last is served again').toBe(1);
    expect(await bench.count('chunk_terms', `term = 'draft'`)).toBe(0);
  });

  it('a source that went back to what is served stays there, whichever run ends last', async () => {
    const { tenantId } = bench.admin;
    const first = await observe('back', text('constitution'));
    await bench.ended(first.runId);
    await bench.engine.pause('documents', 'test');
    const other = await observe('back', text('amendment'));
    const back = await observe('back', text('constitution'));
    expect(back).toMatchObject({ status: 'queued', docId: first.docId });
    await bench.engine.hold({ tenantId, by: 'test' }, other.runId);
    await bench.engine.unpause('documents');
    expect(await bench.ended(back.runId)).toMatchObject({ receipt: { version: 'unchanged' } });
    await bench.engine.resume({ tenantId, by: 'test' }, other.runId);
    expect(await bench.ended(other.runId)).toMatchObject({ receipt: { version: 'superseded' } });
    expect(await bench.count('chunk_terms', `term = 'constitut'`)).toBe(1);
    expect(await observe('back', text('constitution'))).toMatchObject({ status: 'skipped' });
  });

  it('a run that ends after its document was deactivated does not revive it', async () => {
    const first = await observe('c', text('plan'));
    await bench.ended(first.runId);
    await bench.engine.pause('documents', 'test');
    const running = await observe('c', text('budget'));
    await api.call('documents.deactivate', { as: bench.admin, params: { doc_id: first.docId }, body: {} });
    await bench.engine.unpause('documents');
    expect(await bench.ended(running.runId)).toMatchObject({ receipt: { version: 'superseded' } });
    expect((await versions(first.docId)).some(({ is_active }) => is_active)).toBe(false);
  });
});

describe('two at once', () => {
  it('identical uploads make one document with one active version; both runs succeed', async () => {
    const bytes = text('harvest');
    const answers = await Promise.all([1, 2, 3].map(() => bench.upload(bytes, 'harvest.txt')));
    expect(new Set(answers.map(({ body }) => body.doc_id)).size).toBe(1);
    const runs = await Promise.all(
      answers.flatMap(({ body }) => (body.run_id === undefined ? [] : [bench.ended(body.run_id)])),
    );
    for (const run of runs) expect(run.status).toBe('succeeded');
    expect(await versions(answers[0]?.body.doc_id ?? '')).toHaveLength(1);
    const blobs = runs.map(({ blob_id: blob }) => `'${blob}'`).join(', ');
    const keptForEver = `blob_id in (${blobs}) and deleted_at is null and keep_until > engine.now() + interval '10 years'`;
    expect(await bench.count('engine.blobs', keptForEver), 'a purge finds the one file by its version').toBe(1);
  });
});

describe('a failed document', () => {
  it('is listed as an orphan for admins, not among documents', async () => {
    const { body } = await bench.upload('%PDF-1.4\nbroken', 'broken.pdf');
    const run = await bench.ended(body.run_id ?? '');
    expect(run).toMatchObject({ status: 'failed', error_code: 'document_damaged' });
    const orphans = await api.call('documents.orphans', { as: bench.admin });
    expect(orphans.json().data.map(({ doc_id }: { doc_id: string }) => doc_id)).toContain(body.doc_id);
    const listed = await api.call('documents.list', { as: bench.admin, query: { status: 'all', limit: '100' } });
    expect(listed.json().data.map(({ doc_id }: { doc_id: string }) => doc_id)).not.toContain(body.doc_id);
  });

  it('keeps its title when it is uploaded again under another name, unless a title is given', async () => {
    const again = async (name: string, fields: Record<string, string> = {}) => {
      const { body } = await bench.upload('%PDF-1.4\nbroken under two names', name, { fields });
      await bench.ended(body.run_id ?? '');
      const shown = await api.call('documents.show', { as: bench.admin, params: { doc_id: body.doc_id } });
      return shown.json().title;
    };
    expect(await again('first name.pdf')).toBe('first name.pdf');
    expect(await again('second name.pdf')).toBe('first name.pdf');
    expect(await again('third name.pdf', { title: 'Given' })).toBe('Given');
  });

  it('is listed as an orphan before those that were submitted earlier, page by page', async () => {
    const ids: (string | undefined)[] = [];
    for (const word of ['one', 'two', 'three']) {
      const { body } = await bench.upload(`%PDF-1.4\norphan ${word}`, `${word}.pdf`);
      await bench.ended(body.run_id ?? '');
      ids.unshift(body.doc_id);
    }
    const list = async (query: Record<string, string>) =>
      (await api.call('documents.orphans', { as: bench.admin, query })).json();
    const first = await list({ limit: '2' });
    const second = await list({ limit: '1', after: first.next });
    expect([...first.data, ...second.data].map(({ doc_id: id }: { doc_id: string }) => id)).toEqual(ids);
  });

  it('says why its newest run failed and which one that was, until a newer run has made it good', async () => {
    const words = text('ledger');
    const { docId } = await bench.ingest(words, 'ledger.txt');
    const failure = async (id = docId) =>
      (await api.call('documents.show', { as: bench.admin, params: { doc_id: id } })).json().last_failure;
    expect(await failure()).toBeNull();
    const fix = async (how: string) => {
      const params = { doc_id: docId, version: '1', page_no: '1' };
      return (await api.call('documents.page-retry', { as: bench.admin, params, body: { how } })).json().run_id;
    };
    // Without its only section it has no text.
    const refused = await fix('exclude');
    await bench.ended(refused);
    expect(await failure()).toMatchObject({
      run_id: refused,
      code: 'document_without_text',
      message: expect.any(String),
    });
    await bench.ended(await fix('include'));
    expect(await failure()).toBeNull();

    const { body } = await bench.upload('%PDF-1.4\nbroken for show', 'broken.pdf');
    await bench.ended(body.run_id ?? '');
    expect(await failure(body.doc_id)).toMatchObject({ run_id: body.run_id, code: 'document_damaged' });
    const retried = await api.call('ingestion-runs.retry', {
      as: bench.admin,
      params: { run_id: body.run_id ?? '' },
      body: {},
    });
    await bench.ended(retried.json().work_run_id);
    expect(await failure(body.doc_id)).toMatchObject({ run_id: retried.json().work_run_id });
  });

  it('that is retried stays one run to its caller: same id, queued again, next attempt; in the ledger no ended run has changed', async () => {
    const { body } = await bench.upload('%PDF-1.4\nbroken twice', 'broken twice.pdf');
    const runId = body.run_id ?? '';
    const failed = await bench.ended(runId);
    const ask = (id = runId) => api.call('ingestion-runs.show', { as: bench.admin, params: { run_id: id } });
    const retry = (id = runId) =>
      api.call('ingestion-runs.retry', { as: bench.admin, params: { run_id: id }, body: {} });
    expect((await ask()).json()).toMatchObject({ run_id: runId, status: 'failed', attempts: 1, work_run_id: runId });

    await bench.engine.pause('documents', 'test');
    const answers = await Promise.all([retry(), retry()]);
    const [first] = answers.map((answer) => answer.json());
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202]);
    expect(first).toMatchObject({
      run_id: runId,
      status: 'queued',
      run_type: 'manual_upload',
      attempts: 2,
      created_at: failed.created_at.toISOString(),
      started_at: failed.started_at?.toISOString(),
      finished_at: null,
      error: null,
      config: { original_filename: 'broken twice.pdf', retry_of: null, retried_as: null },
    });
    // Asked once more while it is under way: the same retry. Any id of the line leads to it.
    expect((await retry()).json()).toMatchObject({ run_id: runId, attempts: 2, work_run_id: first.work_run_id });
    expect((await ask(first.work_run_id)).json()).toEqual((await ask()).json());
    const listed = async (status?: string) =>
      (
        await api.call('ingestion-runs.list', {
          as: bench.admin,
          query: { limit: '100', ...(status ? { status } : {}) },
        })
      )
        .json()
        .data.filter((each: { run_id: string }) => [runId, first.work_run_id].includes(each.run_id))
        .map((each: { run_id: string; status: string }) => [each.run_id, each.status]);
    expect([await listed(), await listed('queued'), await listed('failed')]).toEqual([
      [[runId, 'queued']],
      [[runId, 'queued']],
      [],
    ]);

    await bench.engine.unpause('documents');
    await bench.ended(first.work_run_id);
    expect((await ask()).json()).toMatchObject({ status: 'failed', error_code: 'document_damaged', attempts: 2 });
    expect(await listed('failed')).toEqual([[runId, 'failed']]);
    // A later retry is the third attempt.
    expect((await retry()).json()).toMatchObject({ run_id: runId, attempts: 3 });
    const { rows } = await bench.db.admin.query(
      `select run_id, status, started_at, run_type from ingestion_runs where config ->> 'content_hash' = $1`,
      [failed.input.content_hash],
    );
    expect(rows).toEqual([
      { run_id: runId, status: expect.any(String), started_at: failed.started_at, run_type: 'manual_upload' },
    ]);
    const { retried_as: _, ...after } = { ...(await bench.engine.run(bench.admin.tenantId, runId)), retried_as: null };
    expect(after).toEqual(failed);
    const total = (await api.call('ingestion-runs.list', { as: bench.admin, query: { limit: '1' } })).json().total;
    expect(total).toBe(await bench.count('ingestion_runs', `tenant_id = '${bench.admin.tenantId}'`));
  });

  it('shows config, stats and times as the specification has them', async () => {
    const { run } = await bench.ingest(text('register'), 'register.txt', { fields: { title: 'Register' } });
    const shown = await api.call('ingestion-runs.show', { as: bench.admin, params: { run_id: run.id } });
    expect(shown.json()).toMatchObject({
      status: 'succeeded',
      run_type: 'manual_upload',
      config: {
        source_type: 'upload',
        title: 'Register',
        original_filename: 'register.txt',
        content_hash: expect.stringMatching(/^sha256:/),
      },
      stats: {
        docs_processed: 1,
        chunks_created: expect.any(Number),
        tokens_total: expect.any(Number),
        read: 1,
        text: 1,
      },
      error: null,
      updated_at: expect.any(String),
    });
    const { rows } = await bench.db.admin.query(
      'select status, run_type, config, stats from ingestion_runs where run_id = $1',
      [run.id],
    );
    expect(rows[0]).toMatchObject({
      status: 'succeeded',
      run_type: 'manual_upload',
      config: { title: 'Register' },
      stats: { docs_processed: 1 },
    });
  });
});
