// One sync through everything that can happen to an installation, with the built product: its server is killed with kill -9, its database goes away,
// its disk is full. The bucket is read with a role that is assumed. In the end each object is one run, and the receipts add up.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type StsServer, startSts } from '../support/sts-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Environment, makeHome, millrace, type Server, startServer } from './millrace-process.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { useBucket } from './use-bucket.ts';

const secret = 'the-secret-key-of-the-hard-bucket';
const role = 'arn:aws:iam::123456789012:role/reader';
const bucket = useBucket('hard', secret, { LEASE_SECONDS: '5', HEARTBEAT_SECONDS: '1' });
const temporary = { accessKeyId: 'ASIATEMPORARY', secretAccessKey: 'temporary', sessionToken: 'of-the-role' };
let sts: StsServer;
let env: Environment;
let server: Server;
const disk: SmallDisk | undefined = mountSmallDisk(8);

beforeAll(async () => {
  sts = await startSts(temporary);
  const UPLOAD_STORE_PATH = `${disk?.folder ?? makeHome()}/blobs`;
  env = { ...bucket.env, AWS_ENDPOINT_URL_STS: sts.endpoint, UPLOAD_STORE_PATH };
});
afterAll(async () => {
  await sts?.close();
  disk?.remove();
});

const day = (number: number) =>
  `Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Link clicks\n2026-03-01,Spring,12021${String(number).padStart(8, '0')},1.50,10,1\n`;
const key = (number: number) => `in/${String(number).padStart(3, '0')}.csv`;

/** The next request for this object waits until it is let go. */
function hold(number: number) {
  let letGo: () => void = () => undefined;
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const url = new RegExp(`/hard/${key(number)}`);
  bucket.server.fail({ method: 'GET', url, times: 1, act: { until } });
  const isAsked = () => bucket.server.requests.some((line) => line.startsWith('GET') && url.test(line));
  return {
    letGo,
    asked: () => waitFor(async () => isAsked() || undefined, { what: `${key(number)} to be asked for` }),
  };
}

const syncs = () =>
  bucket.database.query<{ id: string; status: string; attempt: number; waits: boolean; receipt: { read: number } }>(
    `select id, status, attempt, phase = 'waiting' and wait_reason is not null as waits, receipt
     from engine.runs where pipeline = 'sources' order by id`,
  );
const ended = (number: number) =>
  waitFor(
    async () => {
      const all = await syncs().catch(() => []);
      return all.length === number && all.every(({ receipt }) => receipt !== null) ? all.at(-1) : undefined;
    },
    { what: `sync ${number} to end`, timeoutMs: 240_000, everyMs: 200 },
  );

async function runsPerFile(): Promise<number[]> {
  const rows = await bucket.database.query<{ n: number }>(
    `select count(*)::int as n from engine.runs r join engine.blobs b using (blob_id) where r.pipeline = 'ads' group by b.original_name`,
  );
  return rows.map(({ n }) => n);
}

it('a sync that was killed and lost its database brings each object in once', async () => {
  for (let number = 0; number < 60; number += 1) await bucket.put(key(number), day(number));
  server = await startServer(env);
  const place = { ...bucket.place(), role_arn: role };
  const wish = { name: 'Hard', pipeline: 'ads', fields: { platform: 'meta' }, place, credential: bucket.credential };
  const added = await millrace(['sources', 'add', '--file', bucket.file('hard', wish)], env);
  expect(added.code, added.stderr).toBe(0);
  expect(sts.asked[0]).toMatchObject({ action: 'AssumeRole', roleArn: role });

  // Killed behind its first commit, in the middle of an object.
  const [first, second] = [hold(45), hold(52)];
  await millrace(['sources', 'sync', 'Hard'], env);
  await first.asked();
  await server.end('SIGKILL');
  first.letGo();

  // The next attempt loses its database in the middle of another one.
  server = await startServer(env);
  await second.asked();
  await bucket.database.setOpen(false);
  second.letGo();
  await waitFor(async () => ((await fetch(`${server.url}/ready`)).ok ? undefined : true), {
    what: 'the server to say so',
  });
  await bucket.database.setOpen(true);
  expect(await ended(1)).toMatchObject({ status: 'synced', receipt: { read: 60, outcomes: { new: 60 } } });
  expect(await runsPerFile()).toEqual(Array.from({ length: 60 }, () => 1));
});

it.skipIf(disk === undefined)(
  'a sync that finds the disk full waits, says so, and goes on when there is room',
  async () => {
    disk?.fill();
    await bucket.put(key(60), day(60));
    await millrace(['sources', 'sync', 'Hard'], env);
    await waitFor(async () => ((await syncs()).at(-1)?.waits ? true : undefined), { what: 'the sync to wait' });
    const shown = await millrace(['why', (await syncs()).at(-1)?.id ?? ''], env);
    expect(shown.stdout, shown.stderr).toMatch(/after disk_full/);
    disk?.free();
    expect(await ended(2)).toMatchObject({
      status: 'synced',
      receipt: { read: 61, outcomes: { new: 1, unchanged: 60 } },
    });
    expect(await runsPerFile()).toEqual(Array.from({ length: 61 }, () => 1));
  },
);

it('what was counted can be counted again, and no key of the bucket or of the role stands in what the server wrote', async () => {
  for (const { id } of await syncs()) expect((await millrace(['verify', id], env)).code).toBe(0);
  const { stderr } = await server.end();
  for (const hidden of [secret, temporary.secretAccessKey, temporary.sessionToken])
    expect(stderr).not.toContain(hidden);
});
