// What a bucket announces over a real SQS queue, with the built product: the server hears it by itself, and the file becomes a document without a listing.
// Repeated events make nothing twice; an object whose event was lost comes with the next listing.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, type Environment, makeHome, millrace, startServer } from './millrace-process.ts';

const secret = 'the-secret-key-of-the-announced-bucket';
const folder = makeHome();
let database: InstallationDatabase;
let bucket: S3Server;
let s3: S3Client;
let sqs: SQSClient;
let env: Environment;
let queueUrl: string;

beforeAll(async () => {
  database = await createDatabase();
  bucket = await startS3Server('told');
  const connection = {
    endpoint: bucket.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: secret },
  };
  s3 = new S3Client({ ...connection, forcePathStyle: true });
  sqs = new SQSClient(connection);
  await sqs.send(new CreateQueueCommand({ QueueName: 'told' }));
  queueUrl = `${bucket.endpoint}/000000000000/told`;
  env = {
    ...database.env,
    MILLRACE_HOME: makeHome(),
    SHUTDOWN_GRACE_SECONDS: '3',
    POLL_INTERVAL_MS: '100',
    ALLOW_PRIVATE_SOURCES: 'true',
  };
});
afterAll(async () => {
  s3.destroy();
  sqs.destroy();
  await cleanUp();
  await bucket.close();
  await database.drop();
});

const put = (Key: string) =>
  s3.send(new PutObjectCommand({ Bucket: 'told', Key, Body: `# ${Key}\n\nThe note ${Key} is kept for ten years.\n` }));

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
      const [row] = await database.query<{ live: number }>(
        `select count(*)::int as live from engine.runs where finished_at is null and source_id is not null`,
      );
      return names.every((name) => left[name] === '0') && row?.live === 0 ? true : undefined;
    },
    { what: 'the announcements to be heard and their runs to end', timeoutMs: 150_000, everyMs: 200 },
  );

const documentRuns = async () =>
  (
    await database.query<{ uri: string; runs: number }>(
      `select input ->> 'source_uri' as uri, count(*)::int as runs from engine.runs
       where pipeline = 'documents' and source_id is not null group by 1 order by 1`,
    )
  ).map(({ uri, runs }) => [uri, runs]);

it('an announced file becomes one document run by itself, however often it is announced; a missed one comes with the listing', async () => {
  const server = await startServer(env);
  const file = path.join(folder, 'told.json');
  const place = { kind: 's3', bucket: 'told', endpoint: bucket.endpoint };
  const credential = { access_key_id: 'test', secret_access_key: secret };
  writeFileSync(
    file,
    JSON.stringify({ name: 'told', pipeline: 'documents', place, credential, queue_url: queueUrl, cron: null }),
  );
  const added = await millrace(['sources', 'add', '--file', file], env);
  expect(added.code, added.stderr).toBe(0);
  const listings = () => bucket.requests.filter((line) => line.includes('list-type')).length;
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

  const synced = await millrace(['sources', 'sync', 'told', '--watch'], env);
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
