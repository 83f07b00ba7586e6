// One object that may not even be looked at is that object's trouble; the others of its sync are taken.
import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, it, onTestFinished } from 'vitest';
import { prose } from '../../../test/support/documents.ts';
import { useSources } from '../../../test/support/use-sources.ts';
import { listen } from './announcements.ts';

const bench = useSources();
const text = (seed: number) => prose(seed).join('\n\n');

function shut(key: RegExp): void {
  for (const method of ['HEAD', 'GET'])
    bench.bucket.fail({ method, url: key, times: 1_000, act: { status: 403, code: 'AccessDenied' } });
  onTestFinished(() => bench.bucket.heal());
}

it('an announced object that may not be read is refused, and the others that were announced are taken', async () => {
  for (const n of [1, 2, 3]) await bench.put(`told/doc${n}.txt`, text(n));
  const sqs = new SQSClient({
    endpoint: bench.bucket.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test-secret' },
  });
  onTestFinished(() => sqs.destroy());
  await sqs.send(new CreateQueueCommand({ QueueName: 'told' }));
  const queueUrl = `${bench.bucket.endpoint}/000000000000/told`;
  const sourceId = await bench.connect(bench.wish('told', { queue_url: queueUrl }));
  const records = [1, 2, 3].map((n) => ({
    eventName: 'ObjectCreated:Put',
    s3: { bucket: { name: bench.bucket.bucket }, object: { key: `told/doc${n}.txt` } },
  }));
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify({ Records: records }) }));
  shut(/told\/doc2/);
  const about = { source_id: sourceId, tenant_id: bench.admin.tenantId, name: 'told', queue_url: queueUrl };
  expect(await listen(bench.deps, bench.engine, about, new AbortController().signal)).toBe(3);
  const shown = await bench.api.call('sources.show', { as: bench.admin, params: { source_id: sourceId } });
  const sync = await bench.ended(shown.json().syncs[0].sync_id);
  expect(sync).toMatchObject({ status: 'partial', receipt: { read: 3, outcomes: { new: 2, refused: 1 } } });
  expect(await bench.objects(sourceId)).toEqual({ 'doc1.txt': 'live', 'doc2.txt': 'failed', 'doc3.txt': 'live' });
});

it('an object that may not be looked at when it has settled is refused, and the others are taken', async () => {
  for (const n of [1, 2, 3]) await bench.put(`calm/doc${n}.txt`, text(10 + n));
  const sourceId = await bench.connect(bench.wish('calm', { settle_seconds: 2 }));
  shut(/calm\/doc2/);
  const sync = await bench.sync(sourceId);
  expect(sync).toMatchObject({ status: 'partial', receipt: { read: 3, outcomes: { new: 2, refused: 1 } } });
  expect(await bench.objects(sourceId)).toEqual({ 'doc1.txt': 'live', 'doc2.txt': 'failed', 'doc3.txt': 'live' });
});
