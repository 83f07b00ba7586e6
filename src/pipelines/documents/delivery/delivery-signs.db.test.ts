// What is said of deliveries before somebody misses a document: the doctor, the gauges and the alert.
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { register } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '../../../../test/support/alerts.ts';
import { prose, useDocuments } from '../../../../test/support/documents.ts';
import { startIngestWorker, TOKEN } from '../../../../test/support/ingest-worker.ts';
import { type S3Server, startS3Server } from '../../../../test/support/s3-server.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { saveRulesOf } from '../../../outbound/alerts/default-rules.ts';
import { readSettings } from '../../../platform/config.ts';
import { silentLog } from '../../../platform/log.ts';
import { documentsAlertRules } from '../alerts.ts';
import { checkDelivery } from '../cli/doctor-delivery.ts';
import { documentSettings } from '../settings.ts';
import { createDelegator, type Delegator } from './delegator.ts';
import { createHttpTransport } from './http-transport.ts';
import { ensureRedrive, SqsQueue } from './sqs-queue.ts';

const NOBODY = 'http://127.0.0.1:9';
let delegator: Delegator;
const bench = useDocuments({ overdueAfterMs: 1_000 }, silentLog, {
  roles: { worker: true, services: true, leaves: ['documents'] },
  prepare: (engine, { store, embedder }) => {
    const transport = createHttpTransport({ url: NOBODY, token: TOKEN, timeoutMs: 1_000 });
    delegator = createDelegator({
      ...{ engine, store, embedders: { embedder }, transport, log: silentLog },
      onFailure: 'hold',
    });
    engine.consume(delegator.consumer);
    delegator.start();
  },
});
afterAll(() => delegator.stop());

const settingsOf = (environment: Record<string, string>) => readSettings({ environment }, documentSettings);
const ask = (environment: Record<string, string>) => checkDelivery(settingsOf(environment), true);

describe('the doctor on deliveries', () => {
  it('asks nobody where workers claim from the ledger', async () => {
    expect(await ask({})).toMatchObject({ check: 'delivery', state: 'ok', detail: expect.stringContaining('ledger') });
  });

  it('says that no ingest worker can ever come where the database is the one that start runs itself', async () => {
    for (const environment of [
      { DOCUMENTS_WORKED_BY: 'ingest-worker' },
      { INGEST_MODE: 'http', INTERNAL_AUTH_TOKEN: TOKEN },
    ])
      expect(await checkDelivery(settingsOf(environment), false)).toMatchObject({
        state: 'fail',
        detail: expect.stringContaining('none can reach the Postgres'),
        fix: expect.stringContaining('DATABASE_URL'),
      });
    expect(await checkDelivery(settingsOf({}), false)).toMatchObject({ state: 'ok' });
  });

  it('says whether an ingest worker answers at INGEST_WORKER_URL', async () => {
    const http = (url: string) => ask({ INGEST_MODE: 'http', INTERNAL_AUTH_TOKEN: TOKEN, INGEST_WORKER_URL: url });
    expect(await http(NOBODY)).toMatchObject({
      state: 'fail',
      detail: expect.stringMatching(
        /^http:\/\/127\.0\.0\.1:9 does not answer \(\w+\); document runs are not delivered$/,
      ),
      fix: expect.stringContaining('millrace ingest-worker'),
    });
    const worker = await startIngestWorker(bench.db.appUrl, bench.deps);
    try {
      expect(await http(worker.url)).toMatchObject({
        state: 'ok',
        detail: `an ingest worker answers at ${worker.url}`,
      });
    } finally {
      await worker.close();
    }
  });

  describe('over a queue', () => {
    let server: S3Server;
    let client: SQSClient;
    beforeAll(async () => {
      server = await startS3Server();
      const credentials = { accessKeyId: 'test', secretAccessKey: 'test-secret' };
      client = new SQSClient({ endpoint: server.endpoint, region: 'us-east-1', credentials });
    });
    afterAll(async () => {
      client.destroy();
      await server.close();
    });

    it('says that the queue is missing, that nothing ends runs of dead messages, and that all is well', async () => {
      const keys = { sqsRegion: 'us-east-1', sqsAccessKeyId: 'test', sqsSecretAccessKey: 'test-secret' };
      const url = (name: string) => `${server.endpoint}/000000000000/${name}`;
      const environment = {
        INGEST_MODE: 'queue',
        SQS_QUEUE_URL: url('doctor_jobs'),
        SQS_REGION: keys.sqsRegion,
        SQS_ACCESS_KEY_ID: keys.sqsAccessKeyId,
        SQS_SECRET_ACCESS_KEY: keys.sqsSecretAccessKey,
      };
      expect(await ask(environment)).toMatchObject({ state: 'fail', fix: expect.stringContaining('SQS_QUEUE_URL') });
      expect(await ask({ ...environment, SQS_QUEUE_URL: `${NOBODY}/1/jobs` })).toMatchObject({
        detail: 'SQS_QUEUE_URL does not answer (ECONNREFUSED); document runs are not delivered',
      });
      for (const QueueName of ['doctor_jobs', 'doctor_dead']) await client.send(new CreateQueueCommand({ QueueName }));
      expect(await ask(environment)).toMatchObject({
        state: 'warn',
        detail: expect.stringContaining('it has no dead-letter queue'),
        fix: expect.stringContaining('SQS_DLQ_URL'),
      });
      const [queue, dead] = ['doctor_jobs', 'doctor_dead'].map((name) => new SqsQueue(url(name), keys));
      await ensureRedrive(queue as SqsQueue, dead as SqsQueue, 3);
      for (const each of [queue, dead]) each?.close();
      expect(await ask(environment)).toMatchObject({
        state: 'warn',
        detail: expect.stringContaining('SQS_DLQ_URL is not set'),
      });
      expect(await ask({ ...environment, SQS_DLQ_URL: url('doctor_dead') })).toMatchObject({ state: 'ok' });
    });
  });
});

describe('a document that nobody takes', () => {
  it('is on the gauges of the process that delegates, and opens an alert a minute after its delivery was overdue', async () => {
    const delivered = settingsOf({ INGEST_MODE: 'http', INTERNAL_AUTH_TOKEN: TOKEN, DELIVERY_OVERDUE_SECONDS: '1' });
    const rules = documentsAlertRules(delivered);
    await saveRulesOf(bench.engine.pools.control, { documents: { rules } });
    const { body } = await bench.upload(prose(900).join('\n'), 'nobody-takes-it.txt');
    await waitFor(
      async () => {
        const text = await register.metrics();
        const waiting = /^millrace_document_deliveries 1$/m.test(text);
        const age = Number(/^millrace_document_delivery_oldest_seconds (\S+)$/m.exec(text)?.[1]);
        return (waiting && age > 0) || undefined;
      },
      { what: 'the gauges' },
    );
    const ready = `run_id = '${body.run_id}'`;
    await waitFor(async () => (await bench.count('engine.ready', ready)) === 1 || undefined, {
      what: 'the run to be overdue',
    });
    const alerts = () => bench.count('engine.alerts', `rule = 'documents_not_picked_up' and resolved_at is null`);
    await evaluate(bench.db);
    expect(await alerts()).toBe(0);
    await bench.db.admin.query(`update engine.ready set queued_at = queued_at - interval '61 seconds' where ${ready}`);
    await evaluate(bench.db);
    expect(await alerts()).toBe(1);
  });

  it('over a queue opens an alert at CRASH_GUARD_QUEUED_TTL_HOURS, since a long queue is no fault', async () => {
    const queued = { INGEST_MODE: 'queue', SQS_QUEUE_URL: 'http://127.0.0.1:9/1/jobs' };
    const alerts = () => bench.count('engine.alerts', `rule = 'documents_not_picked_up' and resolved_at is null`);
    const oldest = (minutes: number) =>
      bench.db.admin.query(`update engine.ready set queued_at = engine.now() - make_interval(mins => $1)`, [minutes]);
    await saveRulesOf(bench.engine.pools.control, { documents: { rules: documentsAlertRules(settingsOf(queued)) } });
    expect(await bench.count('engine.ready'), 'what the test before left').toBe(1);
    // Overdue for 15 minutes already when it began to wait for a claim.
    await oldest(44);
    await evaluate(bench.db);
    expect(await alerts()).toBe(0);
    await oldest(46);
    await evaluate(bench.db);
    expect(await alerts()).toBe(1);
    expect(documentsAlertRules(settingsOf({ ...queued, DELIVERY_OVERDUE_SECONDS: '7200' }))).toMatchObject([
      { on: { threshold: 60 } },
    ]);
  });

  it('in the ledger the rule follows CRASH_GUARD_QUEUED_TTL_HOURS, and its words name the setting', () => {
    expect(documentsAlertRules(settingsOf({ CRASH_GUARD_QUEUED_TTL_HOURS: '3' }))).toMatchObject([
      {
        description: expect.stringContaining('3 h (CRASH_GUARD_QUEUED_TTL_HOURS)'),
        on: { metric: 'oldest_waiting_s', comparison: '>', threshold: 10_800 },
      },
    ]);
  });
});
