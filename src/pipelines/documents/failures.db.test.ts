// A document run that failed, whatever failed it: its content goes, its file is kept for UPLOAD_FAILED_TTL_DAYS, and the log says that it is over.
import { afterEach, describe, expect, it } from 'vitest';
import { prose, useDocuments } from '../../../test/support/documents.ts';
import { gatedEmbedder } from '../../../test/support/ingest-worker.ts';
import { keepLines } from '../../../test/support/log-lines.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';

const kept = keepLines();
const embedder = gatedEmbedder();
const plainEmbed = embedder.embed;
const bench = useDocuments({ embedder, failedTtlDays: 3, passagesPerPart: 2 }, kept.log);
const { api } = bench;
const actor = () => ({ tenantId: bench.admin.tenantId, by: 'test' });
afterEach(() => {
  embedder.embed = plainEmbed;
  embedder.open();
});

let seed = 0;
const text = () => {
  seed += 1;
  return `${prose(seed, 40).join('\n\n')}\n`;
};

/** The end of a failed run as everybody sees it: ledger, log, content, file, API and tracking row. */
async function endOf(runId: string) {
  const run = await bench.ended(runId);
  const line = await waitFor(
    async () => kept.lines.find((each) => each.event === 'ingest_job_complete' && each.run_id === runId),
    { what: 'the line of its end' },
  );
  const docId = String(run.input.doc_id);
  const soon = `between engine.now() + interval '2 days 23 hours' and engine.now() + interval '3 days'`;
  const shown = await api.call('ingestion-runs.show', { as: bench.admin, params: { run_id: runId } });
  const { rows } = await bench.db.admin.query('select status, error from ingestion_runs where run_id = $1', [runId]);
  return {
    code: run.error_code,
    line: { ...line, has_worked: Number(line.duration_ms) > 0 },
    versions: await bench.count('document_versions', `doc_id = '${docId}'`),
    chunks: await bench.count('chunks', `doc_id = '${docId}'`),
    keptForThreeDays: await bench.count('engine.blobs', `blob_id = '${run.blob_id}' and keep_until ${soon}`),
    told: [shown.json().status, shown.json().error],
    tracked: [rows[0]?.status, rows[0]?.error],
  };
}

const failed = (code: string, error: RegExp, hasWorked: boolean) => ({
  code,
  line: expect.objectContaining({
    tenant_id: bench.admin.tenantId,
    doc_id: expect.any(String),
    status: 'failed',
    error_code: code,
    chunks_created: 0,
    tokens_total: 0,
    queue_wait_ms: expect.any(Number),
    stages: expect.objectContaining({ extract_ms: expect.any(Number), db_write_ms: expect.any(Number) }),
    has_worked: hasWorked,
  }),
  versions: 0,
  chunks: 0,
  keptForThreeDays: 1,
  told: ['failed', expect.stringMatching(error)],
  tracked: ['failed', expect.stringMatching(error)],
});

async function uploadAndBegin(): Promise<string> {
  embedder.shut();
  const { body } = await bench.upload(text(), 'begun.txt');
  await waitFor(async () => (await bench.count('chunks', `doc_id = '${body.doc_id}'`)) || undefined, {
    what: 'its chunks',
  });
  return body.run_id ?? '';
}

describe('a document run that fails', () => {
  it('by its input', async () => {
    const { body } = await bench.upload('%PDF-1.4\nbroken', 'broken.pdf');
    expect(await endOf(body.run_id ?? '')).toEqual(failed('document_damaged', /^extraction error: /, true));
  });

  it('by the settings: a provider that refuses for good, after pages, chunks and some vectors were stored', async () => {
    let calls = 0;
    embedder.embed = async (texts) => {
      calls += 1;
      if (calls === 2) throw new MillraceError('embedding_provider_refused', { reason: 'wrong key' });
      return plainEmbed(texts);
    };
    const { body } = await bench.upload(text(), 'refused.txt');
    expect(await endOf(body.run_id ?? '')).toEqual(failed('embedding_provider_refused', /wrong key/, true));
    expect(calls).toBe(2);
  });

  it('because a person cancelled it, at work and while it waited', async () => {
    const atWork = await uploadAndBegin();
    await bench.engine.cancel(actor(), atWork);
    embedder.open();
    expect(await endOf(atWork)).toEqual(failed('run_cancelled', /cancelled/i, true));

    await bench.engine.pause('documents', 'test');
    const { body } = await bench.upload(text(), 'waits.txt');
    await bench.engine.cancel(actor(), body.run_id ?? '');
    expect(await endOf(body.run_id ?? '')).toEqual(failed('run_cancelled', /cancelled/i, false));
    await bench.engine.unpause('documents');
  });

  it('because its workers were lost: in the words of the specification', async () => {
    await bench.db.admin.query(`update engine.pipelines set lost_limit = 1 where pipeline = 'documents'`);
    const runId = await uploadAndBegin();
    // As a worker that was killed: nobody renews it any more.
    await bench.db.admin.query(`update engine.leases set worker_id = gen_random_uuid() where run_id = $1`, [runId]);
    expect(await endOf(runId)).toEqual(
      failed('worker_stopped_responding', /^interrupted — worker stopped responding \(no heartbeat\)$/, true),
    );
  });

  it('because nobody could be given it', async () => {
    await bench.engine.pause('documents', 'test');
    const { body } = await bench.upload(text(), 'undelivered.txt');
    const error = new MillraceError('worker_unavailable');
    const about = { tenantId: bench.admin.tenantId, runId: body.run_id ?? '', code: error.code, text: error.message };
    expect(await bench.engine.failUndelivered(about)).toBe(true);
    expect(await endOf(body.run_id ?? '')).toEqual(failed('worker_unavailable', /^worker unavailable$/, false));
    await bench.engine.unpause('documents');
  });

  it('and shared its file with a version that is served leaves that file alone', async () => {
    const { docId, run } = await bench.ingest('The archive keeps one sentence.\n', 'shared.txt');
    const params = { doc_id: docId, version: '1', page_no: '1' };
    // Without its only section it has no text: the run of the fix fails.
    const asked = await api.call('documents.page-retry', { as: bench.admin, params, body: { how: 'exclude' } });
    const failedRun = await bench.ended(asked.json().run_id);
    expect(failedRun).toMatchObject({ status: 'failed', error_code: 'document_without_text', blob_id: run.blob_id });
    await waitFor(async () => kept.lines.find((line) => line.run_id === failedRun.id && line.status === 'failed'));
    const forEver = `blob_id = '${run.blob_id}' and keep_until > engine.now() + interval '10 years'`;
    expect(await bench.count('engine.blobs', forEver)).toBe(1);
    const shown = await api.call('documents.show', { as: bench.admin, params: { doc_id: docId } });
    expect(shown.json()).toMatchObject({ version_label: 'v1', status: 'active' });
    expect((await api.call('documents.original', { as: bench.admin, params })).statusCode).toBe(200);
  });

  it('and is retried at once makes version 1, whoever clears up first', async () => {
    embedder.embed = async () => {
      throw new MillraceError('embedding_provider_refused', { reason: 'wrong key' });
    };
    const { docId, run } = await bench.ingest(text(), 'again.txt');
    // As if the clean-up had not come to it yet.
    await waitFor(async () => kept.lines.find((line) => line.run_id === run.id && line.status === 'failed'));
    await bench.db.admin.query(
      `insert into document_versions (doc_version_id, tenant_id, doc_id, version_no, content_hash, run_id, source_seq, source_type, unit)
       values (gen_random_uuid(), $1, $2, 1, 'sha256:x', $3, 1, 'txt', 'section')`,
      [bench.admin.tenantId, docId, run.id],
    );
    embedder.embed = plainEmbed;
    const params = { run_id: run.id };
    const retried = await api.call('ingestion-runs.retry', { as: bench.admin, params, body: {} });
    expect(await bench.ended(retried.json().work_run_id)).toMatchObject({ status: 'succeeded' });
    const shown = await api.call('documents.show', { as: bench.admin, params: { doc_id: docId } });
    expect(shown.json()).toMatchObject({ version_label: 'v1', status: 'active' });
    // And the file that is served now is not the failed run's any more.
    expect(
      await bench.count(
        'engine.blobs',
        `blob_id = '${run.blob_id}' and keep_until > engine.now() + interval '10 years'`,
      ),
    ).toBe(1);
  });
});
