// INGEST_MODE=http: uploads are delegated to an ingest worker, whatever the worker answers, or does not.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { prose, useDocuments } from '../../../../test/support/documents.ts';
import { gatedEmbedder, startIngestWorker, TOKEN } from '../../../../test/support/ingest-worker.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import type { RunRow } from '../../../engine/reads/run-columns.ts';
import { silentLog } from '../../../platform/log.ts';
import { createCrashGuard } from '../crash-guard.ts';
import { createDelegator, type DelegatorDeps, delegate, failNeverAccepted } from './delegator.ts';
import { createHttpTransport } from './http-transport.ts';
import { buildPayload } from './job-payload.ts';

const embedder = gatedEmbedder();
/** Where the delegator sends to; each test names its own worker. */
const target = { url: 'http://127.0.0.1:9', timeoutMs: 60_000, onFailure: 'fail' as 'fail' | 'hold' };
let delegator: ReturnType<typeof createDelegator>;
let delegating: DelegatorDeps;

const bench = useDocuments({ embedder, overdueAfterMs: 3_600_000 }, silentLog, {
  roles: { worker: true, services: true, leaves: ['documents'] },
  prepare: (engine, deps) => {
    delegating = {
      engine,
      store: deps.store,
      embedders: deps,
      log: silentLog,
      get onFailure() {
        return target.onFailure;
      },
      transport: {
        mode: 'http',
        timeoutMs: 60_000,
        send: (payload, signal) => createHttpTransport({ ...target, token: TOKEN }).send(payload, signal),
        check: async () => undefined,
        close() {},
      },
    };
    delegator = createDelegator(delegating);
    engine.consume(delegator.consumer);
    delegator.start();
  },
});

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  embedder.open();
  for (const each of opened.splice(0).reverse()) await each.close();
  Object.assign(target, { url: 'http://127.0.0.1:9', timeoutMs: 60_000, onFailure: 'fail' });
});

async function worker(concurrency = 1) {
  const started = await startIngestWorker(bench.db.appUrl, bench.deps, { concurrency });
  opened.push(started);
  target.url = started.url;
  return started;
}

/** A server that is no ingest worker. */
async function server(answer: Parameters<typeof createServer>[1]) {
  const plain = createServer(answer as never);
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  opened.push({
    async close() {
      plain.closeAllConnections();
      await new Promise((resolve) => plain.close(resolve));
    },
  });
  target.url = `http://127.0.0.1:${(plain.address() as AddressInfo).port}`;
  return plain;
}

let seed = 100;
async function upload(): Promise<string> {
  seed += 1;
  const { status, body } = await bench.upload(prose(seed).join('\n\n'), `file-${seed}.txt`);
  expect(status).toBe(202);
  return body.run_id ?? '';
}

const state = (runId: string): Promise<RunRow> => bench.engine.run(bench.admin.tenantId, runId);
const until = (runId: string, is: (run: RunRow) => boolean, what: string) =>
  waitFor(
    async () => {
      const run = await state(runId);
      return is(run) ? run : undefined;
    },
    { what },
  );
const payloadOf = async (runId: string) => {
  const built = await buildPayload(delegating, await state(runId), 1);
  if (built === undefined) throw new Error('no payload');
  return built;
};

describe('an upload over HTTP', () => {
  it('is delegated after its answer, claimed by its id, and worked on by the ingest worker alone', async () => {
    const { engine } = await worker();
    const run = await bench.ended(await upload());
    expect(run).toMatchObject({ status: 'succeeded', attempt: 1 });
    const { rows } = await bench.db.admin.query(
      `select w.pid, w.pipelines from engine.all_attempts a join engine.workers w on w.worker_id = a.worker_id where a.run_id = $1`,
      [run.id],
    );
    expect(rows).toMatchObject([{ pipelines: ['documents'] }]);
    expect(engine.freeSlots()).toBe(1);
    await waitFor(async () => (await bench.count('document_deliveries')) === 0 || undefined, {
      what: 'no delivery left',
    });
  });

  it('is told in the 13 fields of the specification and the number of its delivery, and in nothing else', async () => {
    const heard: Record<string, unknown>[] = [];
    await server(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      heard.push({ authorization: request.headers.authorization, ...JSON.parse(Buffer.concat(parts).toString()) });
      response.writeHead(503).end('{"error":"worker busy"}');
    });
    const bytes = Buffer.from(`${prose(7_000).join('\n\n')}\n`);
    const { body } = await bench.upload(bytes, 'told.txt', { fields: { title: 'Told' } });
    const run = await bench.ended(body.run_id ?? '');
    const hash = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const { root } = bench.deps.store as unknown as { root: string };
    expect(heard).toEqual([
      {
        authorization: `Bearer ${TOKEN}`,
        job_type: 'upload_ingest',
        run_id: run.id,
        doc_id: body.doc_id,
        tenant_id: bench.admin.tenantId,
        upload_uri: `file://${root}/${bench.admin.tenantId}/${run.blob_id}.txt`,
        title: 'Told',
        source_type: 'txt',
        source_uri: `upload://${hash}`,
        original_filename: 'told.txt',
        content_hash: hash,
        embedding_model: 'hash',
        embedding_dim: 8,
        submitted_at: run.created_at.toISOString(),
        delivery: 1,
      },
    ]);
    // What it names can be read there.
    expect(readFileSync(fileURLToPath(String(heard[0]?.upload_uri)))).toEqual(bytes);
  });

  it('fails as "worker unavailable" when no worker answers, and the document is not listed; what is there is served', async () => {
    await worker();
    const served = await bench.ended(await upload());
    for (const each of opened.splice(0)) await each.close();
    const run = await bench.ended(await upload());
    expect(run).toMatchObject({ status: 'failed', error_code: 'worker_unavailable', error_text: 'worker unavailable' });
    const listed = await bench.api.call('documents.list', { as: bench.admin });
    expect(JSON.stringify(listed.json())).not.toContain(String(run.input.doc_id));
    expect(JSON.stringify(listed.json())).toContain(String(served.input.doc_id));
    const params = { doc_id: String(served.input.doc_id), version: '1', page_no: '1' };
    const page = await bench.api.call('documents.page', { as: bench.admin, params });
    const word = /record \d+/.exec(page.json().text)?.[0] ?? '';
    const found = await bench.api.call('search.run', { as: bench.admin, body: { query: word } });
    expect(JSON.stringify(found.json().hits)).toContain(String(served.input.doc_id));
    const asked = await bench.api.call('search.ask', { as: bench.admin, body: { question: `What is ${word}?` } });
    expect(asked.statusCode).toBe(200);
    const history = await bench.api.call('ingestion-runs.list', { as: bench.admin, query: { limit: '100' } });
    expect(history.json().data).toContainEqual(
      expect.objectContaining({ run_id: run.id, error: 'worker unavailable' }),
    );
    // The delegator takes the delivery away after it has ended the run.
    await waitFor(async () => (await bench.count('document_deliveries')) === 0 || undefined, {
      what: 'no delivery left',
    });
  });

  it('fails as "worker busy, all slots occupied" when every slot is taken; the one at work is not touched', async () => {
    embedder.shut();
    const { post } = await worker();
    const first = await upload();
    await until(first, ({ phase }) => phase === 'active', 'the only slot to be taken');
    const second = await bench.ended(await upload());
    expect(second).toMatchObject({
      status: 'failed',
      error_code: 'worker_busy',
      error_text: 'worker busy, all slots occupied',
    });
    expect(await post(await payloadOf(first))).toEqual({ status: 202, body: { status: 'accepted', run_id: first } });
    embedder.open();
    expect(await bench.ended(first)).toMatchObject({ status: 'succeeded', attempt: 1 });
  });

  it('waits and is tried again where DELEGATION_FAILURE is hold', async () => {
    target.onFailure = 'hold';
    const runId = await upload();
    await waitFor(
      async () => (await bench.count('document_deliveries', `last_error = 'worker_unavailable'`)) || undefined,
      {
        what: 'a first try without result',
      },
    );
    expect(await state(runId)).toMatchObject({ status: 'queued', attempt: 0 });
    await worker();
    expect(await bench.ended(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('whose answer is lost is asked for by id before it is failed', async () => {
    const real = await worker();
    target.timeoutMs = 3_000;
    // Passes the job on and keeps the answer.
    await server(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      await real.post(Buffer.concat(parts).toString());
      void response;
    });
    const run = await bench.ended(await upload());
    expect(run).toMatchObject({ status: 'succeeded', attempt: 1 });
    await waitFor(async () => (await bench.count('document_deliveries')) === 0 || undefined, {
      what: 'no delivery left',
    });
    expect(await state(run.id)).toMatchObject({ status: 'succeeded' });
  });

  it('answered by something that is no ingest worker fails as "worker unavailable"', async () => {
    await server((_, response) => response.writeHead(500).end('oops'));
    expect(await bench.ended(await upload())).toMatchObject({ error_text: 'worker unavailable' });
  });

  it('that no worker accepts for CRASH_GUARD_QUEUED_TTL_HOURS is failed by the crash guard; one that waits for less is not', async () => {
    target.onFailure = 'hold';
    const [old, young] = [await upload(), await upload()];
    await waitFor(async () => (await bench.count('document_deliveries', `last_error is not null`)) === 2 || undefined, {
      what: 'both to be tried without result',
    });
    await bench.db.admin.query(
      `update document_deliveries set created_at = created_at - interval '61 minutes' where run_id = $1`,
      [old],
    );
    const guard = createCrashGuard({
      pool: bench.engine.pools.control,
      log: silentLog,
      election: { isElected: () => true, onElected: () => () => undefined },
      queuedHours: 1,
      staleMinutes: 15,
      failNeverAccepted: (seconds) => failNeverAccepted({ engine: bench.engine }, seconds),
    });
    guard.start();
    await bench.ended(old);
    await guard.stop();
    const shown = await bench.api.call('ingestion-runs.show', { as: bench.admin, params: { run_id: old } });
    expect(shown.json()).toMatchObject({
      status: 'failed',
      error: 'interrupted — job was never picked up (service restarted)',
      started_at: null,
    });
    expect(await state(young)).toMatchObject({ status: 'queued' });
    await worker();
    expect(await bench.ended(young)).toMatchObject({ status: 'succeeded' });
  });

  it('delivered again after it has failed is accepted without work; a person’s retry is delivered again', async () => {
    const { post } = await worker();
    const { body } = await bench.upload('%PDF-1.4\nbroken for good', 'broken.pdf');
    const failed = await bench.ended(body.run_id ?? '');
    expect(failed).toMatchObject({ status: 'failed', error_code: 'document_damaged', attempt: 1 });
    expect(await post(await payloadOf(failed.id))).toEqual({
      status: 202,
      body: { status: 'accepted', run_id: failed.id },
    });
    expect(await state(failed.id)).toEqual(failed);
    const params = { run_id: failed.id };
    const retried = await bench.api.call('ingestion-runs.retry', { as: bench.admin, params, body: {} });
    expect(await bench.ended(retried.json().work_run_id)).toMatchObject({ status: 'failed', attempt: 1 });
    expect(await state(failed.id)).toMatchObject({ attempt: 1, finished_at: failed.finished_at });
  });

  it('delivered again after its end is accepted without work', async () => {
    const { post } = await worker();
    const run = await bench.ended(await upload());
    expect(await post(await payloadOf(run.id))).toMatchObject({ status: 202 });
    expect(await state(run.id)).toMatchObject({ status: 'succeeded', attempt: 1 });
    await delegate(delegating, { run_id: run.id, tenant_id: run.tenant_id, tries: 1 }, new AbortController().signal);
    expect(await state(run.id)).toMatchObject({ status: 'succeeded', attempt: 1 });
  });
});

describe('POST /internal/process', () => {
  it('asks for the token: none, another and a part of it are refused with 401', async () => {
    const { post, url } = await worker();
    for (const token of ['', 'x'.repeat(TOKEN.length), TOKEN.slice(0, -1), `${TOKEN}x`])
      expect(await post({}, token)).toEqual({ status: 401, body: { error: 'unauthorized' } });
    expect((await fetch(`${url}/internal/process`, { method: 'POST' })).status).toBe(401);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('refuses a payload that differs from the ledger, or leads out of the store, with 422, and the run is untouched', async () => {
    target.onFailure = 'hold';
    const runId = await upload();
    const payload = await payloadOf(runId);
    const { post } = await startIngestWorker(bench.db.appUrl, bench.deps).then((started) => {
      opened.push(started);
      return started;
    });
    const { root } = bench.deps.store as unknown as { root: string };
    const wrong = [
      { tenant_id: '00000000-0000-4000-8000-000000000000' },
      { doc_id: '00000000-0000-4000-8000-000000000000' },
      { run_id: '00000000-0000-4000-8000-000000000000' },
      { content_hash: `sha256:${'0'.repeat(64)}` },
      { embedding_model: 'another-model' },
      { embedding_dim: 9 },
      { upload_uri: 'file:///etc/passwd' },
      { upload_uri: `file://${root}/../../etc/passwd` },
      { upload_uri: `file://${root}/${payload.tenant_id}/${payload.run_id}.txt` },
      { upload_uri: 'https://example.org/file.txt' },
      { job_type: 'something_else' as never },
    ];
    for (const over of wrong) {
      const answer = await post({ ...payload, ...over });
      expect([over, answer.status, answer.body.code]).toEqual([over, 422, 'job_payload_invalid']);
    }
    expect((await post('no json')).status).toBe(422);
    expect((await post('x'.repeat(300_000))).status).toBe(422);
    expect(await state(runId)).toMatchObject({ status: 'queued', attempt: 0 });
    expect(await post(payload)).toEqual({ status: 202, body: { status: 'accepted', run_id: runId } });
    expect(await bench.ended(runId)).toMatchObject({ status: 'succeeded', attempt: 1 });
  });
});
