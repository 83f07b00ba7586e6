// What is kept of a document and for how long, what is said in the log, and what is found wrong before somebody misses it.
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { tamper } from '../../../test/support/database.ts';
import { buildPdf, prose, rawPages, textContent, useDocuments } from '../../../test/support/documents.ts';
import { startFakeEmbeddings } from '../../../test/support/fake-embeddings.ts';
import { keepLines } from '../../../test/support/log-lines.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { sweepBlobs } from '../../engine/blobs/sweep-blobs.ts';
import { cleanStaging } from '../../engine/services/staging-cleaner.ts';
import { createArtifactSweeper } from './artifact-sweeper.ts';
import { documentsStaging } from './cleanup.ts';
import { checkDocuments } from './cli/doctor-check.ts';
import { createCrashGuard } from './crash-guard.ts';

const kept = keepLines();
const bench = useDocuments({ keepRaw: 'delete', ocr: 'off', failedTtlDays: 3 }, kept.log);
const { api } = bench;
const said = (event: string) => kept.lines.filter((line) => line.event === event);
const params = (docId: string, pageNo = 1) => ({ doc_id: docId, version: '1', page_no: String(pageNo) });

describe('KEEP_RAW=delete', () => {
  it('takes the file once its version is served; what needs it says that it is gone', async () => {
    const { docId, run } = await bench.ingest(await buildPdf([{ lines: prose(1) }]), 'short-lived.pdf');
    expect(run.status).toBe('succeeded');
    await sweepBlobs(bench.engine.pools.control, bench.deps.store);
    expect(await bench.count('engine.blobs', `blob_id = '${run.blob_id}' and deleted_at is null`)).toBe(0);
    for (const operation of ['documents.original', 'documents.page-image'] as const) {
      const answer = await api.call(operation, { as: bench.admin, params: params(docId) });
      expect([operation, answer.statusCode, answer.json().code]).toEqual([operation, 410, 'document_bytes_gone']);
    }
    const text = await api.call('documents.page', { as: bench.admin, params: params(docId) });
    expect(text.json().text).toContain('On page 1 rule');
    const verified = await api.call('runs.verify', { as: bench.admin, params: { run_id: run.id }, body: {} });
    expect(verified.statusCode).toBeGreaterThanOrEqual(400);
    const retry = await api.call('documents.page-retry', {
      as: bench.admin,
      params: params(docId),
      body: { how: 'ocr' },
    });
    expect([retry.statusCode, retry.json().code]).toEqual([410, 'document_bytes_gone']);
  });

  it('keeps the file of a failed run for UPLOAD_FAILED_TTL_DAYS, and then takes it', async () => {
    const { run } = await bench.ingest('%PDF-1.4\nbroken', 'broken.pdf');
    expect(run.status).toBe('failed');
    const own = `blob_id = '${run.blob_id}' and deleted_at is null`;
    const soon = `keep_until between engine.now() + interval '2 days 23 hours' and engine.now() + interval '3 days'`;
    await waitFor(async () => (await bench.count('engine.blobs', `${own} and ${soon}`)) || undefined, {
      what: 'its file to be kept for three days',
    });
    await sweepBlobs(bench.engine.pools.control, bench.deps.store);
    expect(await bench.count('engine.blobs', own)).toBe(1);
    await bench.db.admin.query(`update engine.blobs set keep_until = engine.now() - interval '1 minute' where ${own}`);
    await sweepBlobs(bench.engine.pools.control, bench.deps.store);
    expect(await bench.count('engine.blobs', own)).toBe(0);
  });
});

describe('the artifact', () => {
  it('is the version as JSON under its tenant, document and version, and no half-written one stays', async () => {
    const { docId, run } = await bench.ingest(await buildPdf([{ lines: prose(4) }, { lines: prose(5) }]), 'kept.pdf');
    const { rows } = await bench.db.admin.query<{ doc_version_id: string; artifact_uri: string }>(
      'select doc_version_id, artifact_uri from document_versions where doc_id = $1',
      [docId],
    );
    const folder = path.join(bench.deps.artifacts, bench.admin.tenantId, docId);
    const file = path.join(folder, `${rows[0]?.doc_version_id}.json`);
    expect(fileURLToPath(rows[0]?.artifact_uri ?? '')).toBe(file);
    expect(readdirSync(folder)).toEqual([path.basename(file)]);
    const artifact = JSON.parse(readFileSync(file, 'utf8'));
    expect(artifact).toMatchObject({ doc_id: docId, run_id: run.id, source_type: 'pdf', unit: 'page' });
    expect(artifact.pages.map(({ pageNo, fate }: { pageNo: number; fate: string }) => [pageNo, fate])).toEqual([
      [1, 'text'],
      [2, 'text'],
    ]);
    await api.call('documents.purge', { as: bench.admin, params: { doc_id: docId } });
    expect(existsSync(folder)).toBe(false);
  });

  it('that a killed run left half written is swept after a day, and goes with its document', async () => {
    const incoming = path.join(bench.deps.artifacts, '.incoming');
    const { docId } = await bench.ingest(await buildPdf([{ lines: prose(6) }]), 'swept.pdf');
    expect(readdirSync(incoming)).toEqual([]);
    const [old, young, of] = ['old.json.part', 'young.json.part', `${docId}.other.json.part`].map((name) => {
      writeFileSync(path.join(incoming, name), '{"pages":[');
      return path.join(incoming, name);
    }) as [string, string, string];
    const longAgo = new Date(Date.now() - 25 * 3_600_000);
    utimesSync(old, longAgo, longAgo);
    const sweeper = createArtifactSweeper({ folder: bench.deps.artifacts, log: kept.log });
    sweeper.start();
    await waitFor(async () => !existsSync(old) || undefined, { what: 'the sweep' });
    await sweeper.stop();
    expect([existsSync(young), existsSync(of)]).toEqual([true, true]);
    await api.call('documents.purge', { as: bench.admin, params: { doc_id: docId } });
    expect([existsSync(young), existsSync(of)]).toEqual([true, false]);
  });
});

describe('OCR=off', () => {
  it('a garbled text layer counts as none: the page is rejected with the reason', async () => {
    const { docId, run } = await bench.ingest(garbledPdf(), 'garbled.pdf');
    expect(run.receipt).toMatchObject({ read: 2, outcomes: { text: 1, rejected: 1 } });
    const page = await api.call('documents.page', { as: bench.admin, params: params(docId, 2) });
    expect(page.json()).toMatchObject({ fate: 'rejected', reason: 'its text layer is garbled; OCR=off', text: '' });
    const listed = await api.call('documents.pages', {
      as: bench.admin,
      params: params(docId),
      query: { fate: 'rejected' },
    });
    expect(listed.json().data).toHaveLength(1);
    // A person may want it read from its image all the same.
    const asked = await api.call('documents.page-retry', {
      as: bench.admin,
      params: params(docId, 2),
      body: { how: 'ocr' },
    });
    const again = await bench.ended(asked.json().run_id);
    expect(again.receipt).toMatchObject({ outcomes: { text: 1, ocr: 1 }, version: 'active' });
    const read = await api.call('documents.page', { as: bench.admin, params: { ...params(docId, 2), version: '2' } });
    expect(read.json()).toMatchObject({ fate: 'ocr', reason: 'its text layer is garbled' });
    expect(read.json().text).toMatch(/staff keep record/);
  });
});

describe('a document of which no page is read', () => {
  it('fails with the reason of its first page, since its pages are not kept', async () => {
    const { run } = await bench.ingest(garbledPdf({ isAll: true }), 'all-garbled.pdf');
    expect(run).toMatchObject({ status: 'failed', error_code: 'document_without_text' });
    expect(run.error_text).toBe(
      'extraction error: none of the 2 pages has text (0 empty, 2 rejected; page 1: its text layer is garbled; OCR=off).',
    );
  });
});

describe('document sets', () => {
  it('are found by one of their tags', async () => {
    const ids: string[] = [];
    for (const [at, tags] of ['red', 'red,blue', 'green'].entries())
      ids.push((await bench.ingest(`${prose(at + 20).join('\n')}\n`, `${at}.txt`, { fields: { tags } })).docId);
    const found = async (tag: string) =>
      (await api.call('documents.list', { as: bench.admin, query: { tag } }))
        .json()
        .data.map((each: { doc_id: string }) => each.doc_id)
        .sort();
    expect(await found('red')).toEqual([ids[0], ids[1]].sort());
    expect(await found('blue,green')).toEqual([ids[1], ids[2]].sort());
    expect(await found('yellow')).toEqual([]);
  });
});

describe('the log', () => {
  it('says each job that was submitted and each that is complete, with hashes for names', async () => {
    const { docId, run } = await bench.ingest(`${prose(30).join('\n')}\n`, 'Smith v. Jones.txt');
    const submitted = said('ingest_job_submitted').find((line) => line.run_id === run.id);
    expect(submitted).toMatchObject({
      tenant_id: bench.admin.tenantId,
      doc_id: docId,
      dedup_result: 'new',
      filename: expect.stringMatching(/^[0-9a-f]{12}\.txt$/),
      content_type: 'text/plain',
      size_bytes: expect.any(Number),
      content_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      source_uri: expect.stringMatching(/^upload:[0-9a-f]{12}$/),
      upload_uri: `/v1/uploads/${run.id}/original`,
      delegation_mode: 'ledger',
      delegation_success: true,
    });
    const complete = said('ingest_job_complete').find((line) => line.run_id === run.id);
    expect(complete).toMatchObject({
      tenant_id: bench.admin.tenantId,
      doc_id: docId,
      status: 'succeeded',
      chunks_created: expect.any(Number),
      tokens_total: expect.any(Number),
      duration_ms: expect.any(Number),
      queue_wait_ms: expect.any(Number),
      stages: expect.objectContaining({ extract_ms: expect.any(Number), db_write_ms: expect.any(Number) }),
    });
    expect([submitted?.omitted, complete?.omitted]).toEqual([undefined, undefined]);
    const again = await bench.upload(`${prose(30).join('\n')}\n`, 'Smith v. Jones.txt');
    expect(again.body.status).toBe('skipped');
    expect(said('ingest_job_submitted').at(-1)).toMatchObject({ dedup_result: 'skipped', doc_id: docId });
    expect(JSON.stringify(kept.lines)).not.toContain('Jones');
    const { run: failed } = await bench.ingest('%PDF-1.4\nother', 'bad.pdf');
    await waitFor(async () =>
      said('ingest_job_complete').find((line) => line.run_id === failed.id && line.status === 'failed'),
    );
  });
});

describe('the crash guard', () => {
  it('says what waits longer than CRASH_GUARD_QUEUED_TTL_HOURS, and fails nothing', async () => {
    await bench.engine.pause('documents', 'test');
    const { body } = await bench.upload(`${prose(40).join('\n')}\n`, 'waits.txt');
    await bench.db.admin.query(`update engine.ready set queued_at = queued_at - interval '2 hours' where run_id = $1`, [
      body.run_id,
    ]);
    const guard = createCrashGuard({
      pool: bench.engine.pools.control,
      log: kept.log,
      election: { isElected: () => true, onElected: () => () => undefined },
      queuedHours: 1,
      staleMinutes: 15,
    });
    guard.start();
    await waitFor(async () => kept.lines.some((line) => line.code === 'job_never_picked_up'));
    await guard.stop();
    expect((await bench.engine.run(bench.admin.tenantId, body.run_id ?? '')).status).toBe('queued');
    await bench.engine.unpause('documents');
    expect(await bench.ended(body.run_id ?? '')).toMatchObject({ status: 'succeeded' });
  });
});

describe('cleanup', () => {
  it('takes half-built versions of ended runs some days later, with their pages', async () => {
    const { docId, run } = await bench.ingest(`${prose(50).join('\n')}\n`, 'half.txt');
    await bench.db.admin.query(
      `update document_versions set is_active = false, ready_at = null, created_at = engine.now() - interval '8 days' where doc_id = $1`,
      [docId],
    );
    const clean = () => cleanStaging(documentsStaging, { pool: bench.engine.pools.control, log: kept.log });
    await clean();
    expect(await bench.count('document_versions', `run_id = '${run.id}'`)).toBe(1);
    await tamper(bench.db.admin, `update engine.runs set finished_at = finished_at - interval '8 days' where id = $1`, [
      run.id,
    ]);
    await clean();
    expect(await bench.count('document_versions', `run_id = '${run.id}'`)).toBe(0);
    expect(await bench.count('chunks', `doc_id = '${docId}'`)).toBe(0);
  });
});

describe('the doctor', () => {
  const ask = (environment: Record<string, string>) => checkDocuments(bench.db.admin, { environment });

  it('really embeds with the model that the settings name, and says how it runs', async () => {
    expect(await ask({ EMBEDDING_RUNTIME: 'wasm' })).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/^all-MiniLM-L6-v2 \(384 dimensions\) runs on wasm/),
    });
    const service = await startFakeEmbeddings(3);
    const http = {
      EMBEDDING_PROVIDER: 'http',
      EMBEDDING_MODEL: 'other',
      EMBEDDING_DIM: '3',
      EMBEDDING_URL: service.url,
    };
    expect(await ask(http)).toMatchObject({
      state: 'ok',
      detail: `other (3 dimensions) by openai at ${new URL(service.url).host}`,
    });
    service.isDown = true;
    expect(await ask(http)).toMatchObject({ state: 'fail', fix: expect.stringContaining('EMBEDDING_URL') });
    await service.close();
  });

  it('says what is missing: a folder without weights, the native runtime, the data of the OCR', async () => {
    expect(await ask({ EMBEDDING_PROVIDER: 'local', EMBEDDING_MODEL_PATH: bench.folder })).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('has no onnx/model.onnx'),
      fix: expect.stringContaining('EMBEDDING_MODEL_PATH'),
    });
    expect(await ask({ OCR_LANGUAGE: 'eng+deu' })).toMatchObject({
      state: 'fail',
      detail: 'the data of the OCR is missing: deu.traineddata',
    });
    expect(await ask({ OCR_LANGUAGE: 'deu', OCR: 'off', EMBEDDING_RUNTIME: 'wasm' })).toMatchObject({ state: 'ok' });
  });
});

/** Its first page can be read, unless all are alike; the font of its second says that every letter is no known character. */
function garbledPdf({ isAll = false } = {}): Buffer {
  const letters = Array.from({ length: 95 }, (_, at) => `<${(32 + at).toString(16)}> <fffd>`).join('\n');
  const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange
95 beginbfchar ${letters} endbfchar
endcmap end end`;
  const at = 4 + 4;
  const font = `${at} 0 R`;
  return rawPages(
    [
      { ...textContent(prose(8)), ...(isAll ? { font } : {}) },
      { ...textContent(prose(9)), font },
    ],
    {
      more: [
        `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode ${at + 1} 0 R >>`,
        { dict: '', bytes: Buffer.from(map, 'latin1') },
      ],
    },
  );
}
