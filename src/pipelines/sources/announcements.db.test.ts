// What a bucket announces over SQS, against a real queue: files arrive without a listing, and whatever is missed, repeated or wrong does no harm.
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { prose } from '../../../test/support/documents.ts';
import { useSources } from '../../../test/support/use-sources.ts';
import { type Hearing, hearOnce, listen, nextToHear } from './announcements.ts';
import { checkSources } from './cli/doctor-check.ts';

const bench = useSources();
const text = (seed: number) => prose(seed).join('\n\n');
const never = new AbortController().signal;
let sqs: SQSClient;

beforeAll(() => {
  sqs = new SQSClient({
    endpoint: bench.bucket.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test-secret' },
  });
});
afterAll(() => sqs.destroy());

async function announced(name: string, over: object = {}) {
  await sqs.send(new CreateQueueCommand({ QueueName: name }));
  const queueUrl = `${bench.bucket.endpoint}/000000000000/${name}`;
  const sourceId = await bench.connect(bench.wish(name, { queue_url: queueUrl, ...over }));
  const about = { source_id: sourceId, tenant_id: bench.admin.tenantId, name, queue_url: queueUrl };
  return {
    sourceId,
    about,
    queueUrl,
    send: (body: string) => sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body })),
    hear: () => listen(bench.deps, bench.engine, about, never),
    async left() {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl: queueUrl, WaitTimeSeconds: 0, VisibilityTimeout: 0 }),
      );
      return Messages.length;
    },
    async newest() {
      const shown = await bench.api.call('sources.show', { as: bench.admin, params: { source_id: sourceId } });
      const [sync] = shown.json().syncs;
      const run = await bench.ended(sync.sync_id);
      await bench.quiet(sourceId);
      return run;
    },
  };
}

const event = (key: string, { name = 'ObjectCreated:Put', bucket = bench.bucket.bucket } = {}) =>
  JSON.stringify({
    Records: [
      {
        eventName: name,
        s3: { bucket: { name: bucket }, object: { key: encodeURIComponent(key).replaceAll('%20', '+') } },
      },
    ],
  });

describe('an announced object', () => {
  it('becomes a run at once, by itself and without a listing, also when its name has blanks and signs', async () => {
    const source = await announced('push');
    await bench.put('push/one two+ü.txt', text(1));
    await bench.put('push/silent.txt', text(2));
    await source.send(event('push/one two+ü.txt'));
    const before = bench.bucket.requests.length;
    expect(await source.hear()).toBe(1);
    expect(await source.newest()).toMatchObject({
      status: 'synced',
      input: { trigger: 'push' },
      receipt: { read: 1, outcomes: { new: 1 }, vanished: 0 },
    });
    expect(bench.bucket.requests.slice(before).filter((line) => line.includes('list-type'))).toEqual([]);
    expect(await bench.objects(source.sourceId)).toEqual({ 'one two+ü.txt': 'live' });
    expect(await source.left()).toBe(0);

    // Repeated, and passed on by SNS: it is as it was.
    await source.send(JSON.stringify({ Message: event('push/one two+ü.txt') }));
    await source.send(event('push/one two+ü.txt'));
    while ((await source.hear()) === 0);
    expect((await source.newest()).receipt).toMatchObject({ read: 1, outcomes: { unchanged: 1, new: 0 } });

    // Missed: the next listing finds it.
    expect((await bench.sync(source.sourceId)).receipt).toMatchObject({ read: 2, outcomes: { new: 1, unchanged: 1 } });
  });

  it('that is gone, of another bucket, outside the scope, deleted or no event at all starts nothing and is not heard again', async () => {
    const source = await announced('noise', { exclude: ['*.tmp'] });
    for (const body of [
      'no JSON',
      '{"Event":"s3:TestEvent"}',
      event('noise/x.txt', { bucket: 'another' }),
      event('elsewhere/x.txt'),
      event('noise/x.tmp'),
      event('noise/x.txt', { name: 'ObjectRemoved:Delete' }),
    ])
      await source.send(body);
    for (let rounds = 0; rounds < 6 && (await source.left()) > 0; rounds += 1) expect(await source.hear()).toBe(0);
    expect(await source.left()).toBe(0);
    const shown = await bench.api.call('sources.show', { as: bench.admin, params: { source_id: source.sourceId } });
    expect(shown.json().syncs).toEqual([]);
    await source.send(event('noise/gone.txt'));
    await source.hear();
    expect(await source.newest()).toMatchObject({ status: 'synced', receipt: { read: 0 } });
  });

  it('waits in its queue while the source is syncing', async () => {
    const source = await announced('busy');
    for (const n of [1, 2, 3]) await bench.put(`busy/doc${n}.txt`, text(60 + n));
    await bench.sync(source.sourceId);
    for (const n of [1, 2]) await bench.remove(`busy/doc${n}.txt`);
    // Held by its question: it is still the one sync of this source.
    const held = await bench.sync(source.sourceId);
    expect(held.held_at).not.toBeNull();
    await bench.put('busy/new.txt', text(64));
    await source.send(event('busy/new.txt'));
    expect(await source.hear()).toBe(0);
    expect(await bench.objects(source.sourceId)).not.toHaveProperty('new.txt');
    await bench.api.call('runs.cancel', { as: bench.admin, params: { run_id: held.id }, body: {} });
  });

  it('is heard although its message names more than one sync looks at, and keys that no bucket has', async () => {
    const source = await announced('crowded');
    await bench.put('crowded/a.txt', text(70));
    const message = (keys: readonly string[]) =>
      JSON.stringify({
        Records: keys.map((key) => ({
          eventName: 'ObjectCreated:Put',
          s3: { bucket: { name: bench.bucket.bucket }, object: { key } },
        })),
      });
    await source.send(message(['crowded/a.txt', `crowded/${'x'.repeat(2_000)}`]));
    expect(await source.hear()).toBe(1);
    expect(await source.newest()).toMatchObject({ status: 'synced', receipt: { read: 1, outcomes: { new: 1 } } });

    const control = (operation: 'pipelines.pause' | 'pipelines.resume') =>
      bench.api.call(operation, { as: bench.admin, params: { pipeline: 'sources' }, body: {} });
    await control('pipelines.pause');
    onTestFinished(async () => void (await control('pipelines.resume')));
    await source.send(message(Array.from({ length: 1_500 }, (_, n) => `crowded/${n}.txt`)));
    expect(await source.hear()).toBe(1_000);
    expect(await source.left()).toBe(0);
    const shown = await bench.api.call('sources.show', { as: bench.admin, params: { source_id: source.sourceId } });
    const params = { run_id: shown.json().syncs[0].sync_id };
    expect((await bench.api.call('runs.cancel', { as: bench.admin, params, body: {} })).statusCode).toBe(200);
  });

  it('is not asked for at an address that may not be called', async () => {
    const before = bench.deps.settings;
    Object.assign(bench.deps, { settings: { ...before, allowPrivateSources: false } });
    try {
      const about = {
        source_id: '',
        tenant_id: bench.admin.tenantId,
        name: 'x',
        queue_url: 'http://169.254.169.254/q',
      };
      const { rows } = await bench.db.admin.query<{ source_id: string }>(
        'select source_id from ingestion_sources where queue_url is not null limit 1',
      );
      const listening = listen(bench.deps, bench.engine, { ...about, source_id: rows[0]?.source_id ?? '' }, never);
      await expect(listening).rejects.toMatchObject({ code: 'outbound_address_refused' });
    } finally {
      Object.assign(bench.deps, { settings: before });
    }
    const wish = bench.wish('wrong', { queue_url: 'http://169.254.169.254/q' });
    const answer = await bench.api.call('sources.create', { as: bench.admin, body: wish });
    expect(answer.json().code).toBe('outbound_address_refused');
  });
});

describe('more queues than are listened at together', () => {
  it('have their turns: each is heard before one is heard twice', () => {
    const all = Array.from({ length: 120 }, (_, n) => ({ source_id: `s${n}` }));
    const heardAt = new Map<string, number>();
    const rounds = [1, 2, 3].map((now) => {
      const turn = nextToHear(all, new Map(), heardAt).map(({ source_id: id }) => id);
      for (const id of turn) heardAt.set(id, now);
      return turn;
    });
    expect(new Set(rounds.flat()).size).toBe(120);
    expect(rounds.map((turn) => turn.length)).toEqual([50, 50, 50]);
    const busy = new Map(all.slice(0, 45).map(({ source_id: id }) => [id, true]));
    expect(nextToHear(all, busy, heardAt)).toHaveLength(5);
  });
});

describe('a queue that cannot be heard', () => {
  it('is told of as the source’s trouble: its state, one event, the doctor; and no more once it is heard again', async () => {
    const source = await announced('deaf');
    const shown = async () =>
      (await bench.api.call('sources.show', { as: bench.admin, params: { source_id: source.sourceId } })).json();
    const hearing: Hearing = { failures: new Map(), signal: never };
    const round = async () => {
      const { queue_error_code } = await shown();
      await hearOnce(bench.deps, bench.engine, { ...source.about, queue_error_code }, hearing);
    };
    await sqs.send(new DeleteQueueCommand({ QueueUrl: source.queueUrl }));
    for (const _ of [1, 2]) await round();
    // Twice may be chance.
    expect(await shown()).toMatchObject({ queue_error_code: null, queue_failing_since: null });
    for (const _ of [3, 4, 5]) await round();
    expect(await shown()).toMatchObject({
      queue_error_code: 'source_place_gone',
      queue_failing_since: expect.any(String),
    });
    expect(await told(source.sourceId)).toEqual([{ source_id: source.sourceId, error_code: 'source_place_gone' }]);
    expect(await examined()).toMatchObject({
      state: 'warn',
      detail: expect.stringContaining('deaf: its queue cannot be read'),
    });

    await sqs.send(new CreateQueueCommand({ QueueName: 'deaf' }));
    await source.send(event('deaf/none.txt'));
    await round();
    expect(await shown()).toMatchObject({ queue_error_code: null, queue_failing_since: null });
    expect(await examined()).toMatchObject({ state: 'ok' });
    expect(await told(source.sourceId)).toHaveLength(1);
  });
});

async function examined() {
  const client = await bench.db.engine.connect();
  try {
    return await checkSources(client);
  } finally {
    client.release();
  }
}

async function told(sourceId: string): Promise<object[]> {
  const { rows } = await bench.db.admin.query<{ data: object }>(
    `select data from engine.events where type = 'source.unheard' and data ->> 'source_id' = $1`,
    [sourceId],
  );
  return rows.map(({ data }) => data);
}
