// INGEST_MODE=queue against a real queue: a message is acknowledged when its run has an end in the ledger, and never before.
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { prose, useDocuments } from '../../../../test/support/documents.ts';
import { gatedEmbedder, startIngestWorker } from '../../../../test/support/ingest-worker.ts';
import { type S3Server, startS3Server } from '../../../../test/support/s3-server.ts';
import { openSilentProxy } from '../../../../test/support/silent-proxy.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import type { RunRow } from '../../../engine/reads/run-columns.ts';
import { silentLog } from '../../../platform/log.ts';
import { createDeadMessageReader } from './dead-messages.ts';
import { createDelegator, type DelegatorDeps } from './delegator.ts';
import { buildPayload } from './job-payload.ts';
import { createQueueListener } from './queue-listener.ts';
import { createQueueTransport, ensureRedrive, SqsQueue } from './sqs-queue.ts';

const keys = { sqsRegion: 'us-east-1', sqsAccessKeyId: 'test', sqsSecretAccessKey: 'test-secret' };
const embedder = gatedEmbedder();
const servers: { sqs?: S3Server; client?: SQSClient } = {};
let queueUrl = '';
let dead: SqsQueue;
let queue: SqsQueue;
let delegating: DelegatorDeps;

const bench = useDocuments({ embedder, overdueAfterMs: 3_600_000 }, silentLog, {
  roles: { worker: true, services: true, leaves: ['documents'] },
  prepare: (engine, deps) => {
    delegating = {
      ...{ engine, store: deps.store, embedders: deps, log: silentLog, onFailure: 'fail' as const },
      transport: {
        mode: 'queue',
        timeoutMs: 60_000,
        // The server is up later than the bench.
        send: (payload, signal) => createQueueTransport(queue).send(payload, signal),
        check: async () => undefined,
        close() {},
      },
    };
    const delegator = createDelegator(delegating);
    engine.consume(delegator.consumer);
    delegator.start();
  },
});

const server = (): S3Server => servers.sqs as S3Server;
const client = (): SQSClient => servers.client as SQSClient;
const asked = (action: string) =>
  server().headers.filter(({ 'x-amz-target': target }) => target === `AmazonSQS.${action}`).length;

beforeAll(async () => {
  servers.sqs = await startS3Server();
  servers.client = new SQSClient({
    endpoint: server().endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test-secret' },
  });
  for (const name of ['ingest_jobs', 'ingest_dead']) await client().send(new CreateQueueCommand({ QueueName: name }));
  queueUrl = `${server().endpoint}/000000000000/ingest_jobs`;
  queue = new SqsQueue(queueUrl, keys);
  dead = new SqsQueue(`${server().endpoint}/000000000000/ingest_dead`, keys);
  await ensureRedrive(queue, dead, 3);
});
afterAll(async () => {
  client().destroy();
  queue.close();
  dead.close();
  await server().close();
});

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  embedder.open();
  server().heal();
  await waitFor(async () => (await left()) === 0 || undefined, { what: 'an empty queue' });
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function left(of = queue): Promise<number> {
  const { ApproximateNumberOfMessages: seen, ApproximateNumberOfMessagesNotVisible: hidden } = await of.attributes();
  return Number(seen) + Number(hidden);
}

async function worker({ visibilitySeconds = 3, url = bench.db.appUrl } = {}) {
  const started = await startIngestWorker(url, bench.deps);
  const listener = createQueueListener({ ...started.parts, queue, visibilitySeconds, waitSeconds: 1, log: silentLog });
  listener.start();
  opened.push({
    async close() {
      await listener.stop();
      await started.close();
    },
  });
  return started;
}

let seed = 500;
async function upload(bytes?: string, name?: string): Promise<string> {
  seed += 1;
  const { status, body } = await bench.upload(bytes ?? prose(seed).join('\n\n'), name ?? `file-${seed}.txt`);
  expect(status).toBe(202);
  return body.run_id ?? '';
}
const state = (runId: string): Promise<RunRow> => bench.engine.run(bench.admin.tenantId, runId);
const atWork = (runId: string) =>
  waitFor(async () => (await state(runId)).phase === 'active' || undefined, { what: 'the run to begin' });
const isSent = (count = 1) => waitFor(async () => (await left()) >= count || undefined, { what: 'the message' });
async function payloadText(runId: string): Promise<string> {
  return JSON.stringify(await buildPayload(delegating, await state(runId), 2));
}
const send = (body: string) => client().send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }));

describe('an upload over a queue', () => {
  it('stays queued until a worker listens, is worked on once and then acknowledged; again and late it is acknowledged without work', async () => {
    const runId = await upload();
    await isSent();
    expect(await state(runId)).toMatchObject({ status: 'queued', attempt: 0 });
    await worker();
    expect(await bench.ended(runId)).toMatchObject({ status: 'succeeded', attempt: 1 });
    await waitFor(async () => (await left()) === 0 || undefined, { what: 'the acknowledgement' });
    await send(await payloadText(runId));
    await send(await payloadText(runId));
    await waitFor(async () => (await left()) === 0 || undefined, { what: 'the repeated ones to be acknowledged' });
    expect(await state(runId)).toMatchObject({ status: 'succeeded', attempt: 1 });
  });

  it('is not received while every slot is taken, and stays hidden while it is worked on', async () => {
    embedder.shut();
    await worker({ visibilitySeconds: 3 });
    const first = await upload();
    await atWork(first);
    const second = await upload();
    await isSent(2);
    const before = asked('ChangeMessageVisibility');
    await waitFor(async () => asked('ChangeMessageVisibility') >= before + 3 || undefined, { what: 'extensions' });
    // Longer than its visibility: nobody else was given it, and the other one was not received.
    const { Messages: seen = [] } = await client().send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
    );
    expect(seen.map(({ Body = '' }) => JSON.parse(Body).run_id)).toEqual([second]);
    expect(await state(second)).toMatchObject({ attempt: 0 });
    expect(await left()).toBe(2);
    embedder.open();
    expect(await bench.ended(first)).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(await bench.ended(second)).toMatchObject({ status: 'succeeded', attempt: 1 });
  });

  it('that fails is acknowledged once the ledger has its failure', async () => {
    await worker();
    const run = await bench.ended(await upload('%PDF-1.4 cut off', 'damaged.pdf'));
    expect(run).toMatchObject({ status: 'failed' });
    await waitFor(async () => (await left()) === 0 || undefined, { what: 'the acknowledgement' });
    expect(await state(run.id)).toMatchObject({ attempt: run.attempt });
  });

  it('is not acknowledged while the database is away, and is when the end has been written', async () => {
    const proxy = await openSilentProxy(bench.db.appUrl);
    embedder.shut();
    await worker({ visibilitySeconds: 4, url: proxy.through(bench.db.appUrl) });
    opened.unshift({ close: () => proxy.close() });
    const runId = await upload();
    await atWork(runId);
    proxy.deaf = true;
    proxy.silence();
    const acknowledged = asked('DeleteMessage');
    embedder.open();
    await waitFor(async () => (await state(runId)).phase === 'waiting' || undefined, {
      what: 'the run to be taken back from a worker that went silent',
    });
    expect([asked('DeleteMessage'), await left()]).toEqual([acknowledged, 1]);
    expect((await state(runId)).finished_at).toBeNull();
    proxy.deaf = false;
    // Who is still waiting for an answer to its opening would wait out the whole limit.
    proxy.letGo();
    expect(await bench.ended(runId)).toMatchObject({ status: 'succeeded' });
    await waitFor(async () => (await left()) === 0 || undefined, { what: 'the acknowledgement' });
  });

  it('fails as "queue publish failed" when the queue is away', async () => {
    server().fail({ method: 'POST', url: /.*/, times: 10, act: 'hang-up' });
    const run = await bench.ended(await upload());
    expect(run).toMatchObject({
      status: 'failed',
      error_code: 'queue_publish_failed',
      error_text: 'queue publish failed',
    });
    server().heal();
  });
});

describe('a message that is received too often', () => {
  it('ends its run through the dead-letter queue; one that says something else than the ledger ends nothing and stays there', async () => {
    const reader = createDeadMessageReader({
      ...delegating,
      queue,
      dead,
      maxReceiveCount: 3,
      everyMs: 200,
      log: silentLog,
    });
    // Those of the tests before belong to runs that have ended.
    const before = await left(dead);
    const runId = await upload();
    await isSent();
    const forged = JSON.stringify({ ...JSON.parse(await payloadText(runId)), content_hash: 'sha256:other' });
    await send(forged);
    await waitFor(
      async () => {
        await client().send(
          new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
        );
        return (await left(dead)) >= before + 2 || undefined;
      },
      { what: 'both to be dead letters' },
    );
    expect(await state(runId)).toMatchObject({ status: 'queued' });
    reader.start();
    opened.push({ close: () => reader.stop() });
    expect(await bench.ended(runId)).toMatchObject({ status: 'failed', error_code: 'job_dead_lettered' });
    await waitFor(async () => (await left(dead)) === 1 || undefined, { what: 'the other one to be left' });
  });
});
