// npm run bench -- sources: how fast a sync compares a bucket with what it knows, in how much memory, and what a first sync costs against bare
// copying.
//
// diff-rate    objects per second of a whole sync of 100,000 objects of which none has changed: listed over HTTP, compared, receipted
// diff-rss     how much the process grows meanwhile, at its largest
// diff-rss-1m  the same with 1,000,000 objects: flat means that it is not ten times as much
// first-sync   10,000 objects of 1 kB become stored files and runs; the peer lists, downloads and writes the same files and does nothing else:
//              no hash, no ledger, no fsync. What the runs do then belongs to their pipeline and is not counted.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { GetObjectCommand, ListObjectsV2Command, type ListObjectsV2CommandOutput, S3Client } from '@aws-sdk/client-s3';
import type { Engine } from '../../src/engine/engine.ts';
import { kitRoles } from '../../src/pipelines/all.ts';
import { saveSource, type Wish } from '../../src/pipelines/sources/set-up.ts';
import { startSync } from '../../src/pipelines/sources/start-sync.ts';
import { connectClient } from '../../src/platform/database.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { silentLog } from '../../src/platform/log.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { openDatabase } from '../../src/platform/open-database.ts';
import { compiledProgram } from '../support/programs.ts';
import { openSourcesEngine } from '../support/sources-engine.ts';
import { makeTempHome, removeTempHome } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { type BenchOptions, type BenchResult, describeMachine, median, rate, time } from './report.ts';

const BUCKET = 'bench';
const keys = { accessKeyId: 'bench', secretAccessKey: 'bench' };
/** As many at once as a sync reads. */
const COPIES_AT_ONCE = 8;
const MEGABYTE = 1024 ** 2;

type Admin = Awaited<ReturnType<typeof connectClient>>;

export async function benchSources({ quick, say }: BenchOptions): Promise<BenchResult> {
  const [some, many, few] = quick ? [20_000, 100_000, 1_000] : [100_000, 1_000_000, 10_000];
  const rounds = quick ? 1 : 3;
  const home = makeTempHome('bench-sources');
  const server = await openDatabase({ home }, silentLog);
  try {
    await migrate({ url: server.adminUrl, appLogin: server.appLogin, log: silentLog, roles: kitRoles });
    const admin = await connectClient({ url: server.adminUrl, applicationName: 'bench', connectTimeoutMs: 10_000 });
    const settings = { leaseMs: 60_000, heartbeatMs: 10_000, pollMs: 50 };
    const { engine, deps, store } = await openSourcesEngine(server.appUrl, path.join(home, 'blobs'), settings);
    // What the files become waits: this bench is about getting there.
    await admin.query(`insert into engine.pauses (pipeline, lane, paused_by) values ('ads', '', 'bench')`);
    await engine.start({ worker: true, services: true });
    const tenantId = uuidv7();
    await admin.query(`insert into tenants (tenant_id, name) values ($1, 'bench')`, [tenantId]);
    const connect = async (endpoint: string) => {
      const sourceId = uuidv7();
      await saveSource(deps, tenantId, sourceId, wishFor(endpoint), { createdBy: null });
      return sourceId;
    };

    const small = await startListing(few);
    // Each takes minutes on a small machine: one of each, ours first.
    const first = (await timedSync(engine, tenantId, await connect(small.endpoint), few, 'new')).seconds;
    const bare = await copyBare(small.endpoint, path.join(home, 'bare'));
    say(`first sync of ${few}: ${first.toFixed(1)} s, bare copying ${bare.toFixed(1)} s`);
    small.close();

    const diff = async (objects: number, times: number) => {
      const listing = await startListing(objects);
      const sourceId = await connect(listing.endpoint);
      await fill(admin, tenantId, sourceId, objects);
      const found: Timed[] = [];
      for (let round = 0; round < times; round += 1) {
        const timed = await timedSync(engine, tenantId, sourceId, objects, 'unchanged');
        found.push(timed);
        say(`${objects} unchanged: ${Math.round(objects / timed.seconds)}/s, + ${timed.grownMb.toFixed(0)} MB`);
      }
      listing.close();
      return found;
    };
    await diff(2_000, 1);
    const unchanged = await diff(some, rounds);
    const large = await diff(many, 1);
    await engine.close();
    await store.close();
    await admin.end();
    const figure = (id: string, value: number, unit: string) => ({ id, value, unit, peers: {}, ratios: {} });
    return {
      machine: { ...describeMachine(['pg', '@aws-sdk/client-s3']), some, many, few, rounds },
      figures: [
        rate(
          'diff-rate',
          unchanged.map(({ seconds }) => some / seconds),
          'objects/s',
          {},
        ),
        figure('diff-rss', Math.round(median(unchanged.map(({ grownMb }) => grownMb))), 'MB'),
        rate(
          'diff-rate-1m',
          large.map(({ seconds }) => many / seconds),
          'objects/s',
          {},
        ),
        figure('diff-rss-1m', Math.round(median(large.map(({ grownMb }) => grownMb))), 'MB'),
        time('first-sync', [first], 's', { 'bare-copy': bare }),
      ],
    };
  } finally {
    await server.stop();
    await removeTempHome(home);
  }
}

interface Timed {
  readonly seconds: number;
  readonly grownMb: number;
}

/** One sync from the wish to its receipt, which must say what is expected: a bench of something that did not happen is none. */
async function timedSync(
  engine: Engine,
  tenantId: string,
  sourceId: string,
  objects: number,
  outcome: string,
): Promise<Timed> {
  global.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const startedAt = performance.now();
  const { id } = await startSync(
    engine,
    { tenant_id: tenantId, source_id: sourceId, name: 'bench' },
    { trigger: 'person' },
  );
  const run = await waitFor(
    async () => {
      const found = await engine.run(tenantId, id);
      return found.finished_at === null ? undefined : found;
    },
    { what: 'the sync to end', timeoutMs: 900_000, everyMs: 25 },
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  clearInterval(sampling);
  if (run.receipt?.read !== objects || run.receipt.outcomes?.[outcome] !== objects)
    throw new Error(`the sync ended otherwise: ${run.status} ${run.error_code} ${JSON.stringify(run.receipt)}`);
  return { seconds, grownMb: (peak - before) / MEGABYTE };
}

/** As if they had been taken in before. */
async function fill(admin: Admin, tenantId: string, sourceId: string, objects: number): Promise<void> {
  await admin.query(
    `insert into source_objects (tenant_id, source_id, key, status, bytes, modified_at, mark, sha256, source_uri, run_id)
     select $1, $2, 'in/' || lpad(n::text, 9, '0') || '.csv', 'live', 1000, '2026-01-01',
            'etag:"' || lpad(n::text, 32, 'a') || '":1000', sha256(n::text::bytea), 's3://bench/' || n, $1
     from generate_series(1, $3::int) n`,
    [tenantId, sourceId, objects],
  );
}

async function copyBare(endpoint: string, folder: string): Promise<number> {
  await mkdir(path.join(folder, 'in'), { recursive: true });
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials: keys, forcePathStyle: true });
  const startedAt = performance.now();
  const found: string[] = [];
  let token: string | undefined;
  do {
    const listed: ListObjectsV2CommandOutput = await client.send(
      new ListObjectsV2Command({ Bucket: BUCKET, ...(token === undefined ? {} : { ContinuationToken: token }) }),
    );
    found.push(...(listed.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key])));
    token = listed.NextContinuationToken;
  } while (token !== undefined);
  const waiting = found.values();
  await Promise.all(
    Array.from({ length: COPIES_AT_ONCE }, async () => {
      for (const Key of waiting) {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
        await writeFile(path.join(folder, Key), (await Body?.transformToByteArray()) ?? '');
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  client.destroy();
  await rm(folder, { recursive: true });
  return seconds;
}

async function startListing(objects: number): Promise<{ endpoint: string; close(): void }> {
  const child = spawn(process.execPath, [compiledProgram('test/bench/listing-server.ts'), String(objects)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { endpoint: `http://127.0.0.1:${String(port).trim()}`, close: () => void child.kill('SIGKILL') };
}

function wishFor(endpoint: string): Wish {
  return {
    name: uuidv7(),
    pipeline: 'ads',
    place: { kind: 's3', bucket: BUCKET, region: 'us-east-1', endpoint },
    credential: { access_key_id: keys.accessKeyId, secret_access_key: keys.secretAccessKey },
    fields: { platform: 'meta' },
    title_pattern: null,
    prefix: '',
    include: [],
    exclude: [],
    max_bytes: null,
    after_taken: 'leave',
    settle_seconds: 0,
    cron: null,
    time_zone: 'UTC',
    jitter_seconds: 0,
    stale_after_seconds: 86_400,
    queue_url: null,
    paused: false,
  };
}
