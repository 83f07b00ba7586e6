// What a bucket announces over a real SQS queue, with the built product: the server hears it by itself, and the file becomes a document without a listing.
// Repeated events make nothing twice; an object whose event was lost comes with the next listing.
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { millrace, startServer } from './millrace-process.ts';
import { useBucket } from './use-bucket.ts';

const secret = 'the-secret-key-of-the-announced-bucket';
const bucket = useBucket('told', secret);
let sqs: SQSClient;
let queueUrl: string;

beforeAll(async () => {
  const { endpoint } = bucket.server;
  const credentials = { accessKeyId: 'test', secretAccessKey: secret };
  sqs = new SQSClient({ endpoint, region: 'us-east-1', credentials });
  await sqs.send(new CreateQueueCommand({ QueueName: 'told' }));
  queueUrl = `${endpoint}/000000000000/told`;
});
afterAll(() => sqs.destroy());

const put = (key: string) => bucket.put(key, `# ${key}\n\nThe note ${key} is kept for ten years.\n`);

function announce(key: string) {
  const record = { eventName: 'ObjectCreated:Put', s3: { bucket: { name: 'told' }, object: { key } } };
  return sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify({ Records: [record] }) }));
}

/** Nothing is left to hear, and whatever was heard has ended. */
const quiet = () =>
  waitFor(
    async () => {
      const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
      const { Attributes: left = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...names] }),
      );
      const [row] = await bucket.database.query<{ live: number }>(
        `select count(*)::int as live from engine.runs where finished_at is null and source_id is not null`,
      );
      return names.every((name) => left[name] === '0') && row?.live === 0 ? true : undefined;
    },
    { what: 'the announcements to be heard and their runs to end', everyMs: 200 },
  );

const documentRuns = async () =>
  (
    await bucket.database.query<{ uri: string; runs: number }>(
      `select input ->> 'source_uri' as uri, count(*)::int as runs from engine.runs
       where pipeline = 'documents' and source_id is not null group by 1 order by 1`,
    )
  ).map(({ uri, runs }) => [uri, runs]);

it('an announced file becomes one document run by itself, however often it is announced; a missed one comes with the listing', async () => {
  const server = await startServer(bucket.env);
  const { credential } = bucket;
  const wish = {
    name: 'told',
    pipeline: 'documents',
    place: bucket.place(),
    credential,
    queue_url: queueUrl,
    cron: null,
  };
  const file = bucket.file('told', wish);
  const added = await millrace(['sources', 'add', '--file', file], bucket.env);
  expect(added.code, added.stderr).toBe(0);
  const listings = () => bucket.server.requests.filter((line) => line.includes('list-type')).length;
  const before = listings();

  await put('announced.md');
  await put('missed.md');
  await announce('announced.md');
  await announce('announced.md');
  await announce('never-there.md');
  await quiet();
  expect(await documentRuns()).toEqual([['s3://told/announced.md', 1]]);
  await announce('announced.md');
  await quiet();
  expect(await documentRuns()).toEqual([['s3://told/announced.md', 1]]);
  expect(listings()).toBe(before);

  const synced = await millrace(['sources', 'sync', 'told', '--watch'], bucket.env);
  expect([synced.code, synced.stdout], synced.stderr).toEqual([
    0,
    expect.stringMatching(/2 = (?:1 new \+ 1 unchanged|1 unchanged \+ 1 new)\n$/),
  ]);
  await quiet();
  expect(await documentRuns()).toEqual([
    ['s3://told/announced.md', 1],
    ['s3://told/missed.md', 1],
  ]);
  const { stderr } = await server.end();
  expect(stderr).not.toContain(secret);
});
