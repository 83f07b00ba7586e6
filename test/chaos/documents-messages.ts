// Documents whose runs are delivered by messages of a real queue that is as unkind as it may be: messages come twice, late, in another order, or not
// at all, and the queue is away now and then. Those that never come are overdue and claimed from the ledger.
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Engine } from '../../src/engine/engine.ts';
import { buildPayload } from '../../src/pipelines/documents/delivery/job-payload.ts';
import { SqsQueue } from '../../src/pipelines/documents/delivery/sqs-queue.ts';
import type { DocumentsDeps } from '../../src/pipelines/documents/deps.ts';
import { startS3Server } from '../support/s3-server.ts';
import type { Transport } from './documents.ts';
import type { Random } from './random.ts';

const keys = { sqsRegion: 'us-east-1', sqsAccessKeyId: 'test', sqsSecretAccessKey: 'test-secret' };
const OVERDUE_MS = 4_000;
/** Requests that fail while the queue is away. */
const AWAY = 6;

export async function openMessages(): Promise<Transport> {
  const server = await startS3Server();
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test-secret' };
  const client = new SQSClient({ endpoint: server.endpoint, region: 'us-east-1', credentials });
  await client.send(new CreateQueueCommand({ QueueName: 'ingest_jobs' }));
  client.destroy();
  const queueUrl = `${server.endpoint}/000000000000/ingest_jobs`;
  const queue = new SqsQueue(queueUrl, keys);
  const tally = { sent: 0, repeated: 0, reordered: 0, lost: 0, away: 0 };
  /** Accepted and not sent, oldest first. */
  const waiting: string[] = [];
  const sent: string[] = [];
  let host: { engine: Engine; deps: DocumentsDeps } | undefined;

  async function send(runId: string): Promise<void> {
    const run = await host?.engine.findRun(runId);
    if (host === undefined || run === undefined) return;
    const { engine, deps } = host;
    const payload = await buildPayload({ engine, store: deps.store, embedders: deps }, run, 1);
    if (payload === undefined) return;
    // While the queue is away the message is lost, as a publisher that was killed loses it.
    await queue.send(JSON.stringify(payload), AbortSignal.timeout(5_000)).then(
      () => {
        tally.sent += 1;
        sent.push(runId);
      },
      () => {
        tally.lost += 1;
      },
    );
  }

  async function sendOne(random: Random): Promise<void> {
    const at = random.between(0, waiting.length - 1);
    if (at > 0) tally.reordered += 1;
    const [runId] = waiting.splice(at, 1);
    if (runId !== undefined) await send(runId).catch(() => undefined);
  }

  return {
    orders: { queueUrl },
    deps: { overdueAfterMs: OVERDUE_MS },
    async open(engine, deps) {
      host = { engine, deps };
    },
    async accepted(runId) {
      waiting.push(runId);
    },
    async disturb(random) {
      if (waiting.length > 0 && random.chance(0.5)) await sendOne(random);
      if (sent.length > 0 && random.chance(0.1)) {
        tally.repeated += 1;
        await send(random.pick(sent)).catch(() => undefined);
      }
      if (random.chance(0.03)) {
        tally.away += 1;
        server.fail({ method: 'POST', url: /.*/, times: AWAY, act: 'hang-up' });
      }
    },
    async calm() {
      server.heal();
      for (const runId of waiting.splice(0)) await send(runId).catch(() => undefined);
    },
    missing: () =>
      Object.entries(tally).flatMap(([what, count]) =>
        count === 0 && what !== 'lost' ? [`proves nothing: no message was ${what}`] : [],
      ),
    async close() {
      queue.close();
      await server.close();
    },
  };
}
