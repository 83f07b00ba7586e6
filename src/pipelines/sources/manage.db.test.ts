// A source over time: its schedule and pause, what its plan allows, what becomes of taken objects at each kind of place, how its trouble is told, and
// how many syncs it remembers.
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prose } from '../../../test/support/documents.ts';
import { startFtpServer } from '../../../test/support/ftp-server.ts';
import { startSftpServer } from '../../../test/support/sftp-server.ts';
import { useSources } from '../../../test/support/use-sources.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { tellStale } from './stale-watch.ts';

const bench = useSources();
const text = (seed: number) => prose(seed).join('\n\n');
const params = (sourceId: string) => ({ source_id: sourceId });

async function show(sourceId: string) {
  return (await bench.api.call('sources.show', { as: bench.admin, params: params(sourceId) })).json();
}

const update = (sourceId: string, body: object) =>
  bench.api.call('sources.update', { as: bench.admin, params: params(sourceId), body });

async function withPlan(plan: string): Promise<void> {
  const write = (to: string) =>
    bench.db.admin.query('update tenants set plan = $2 where tenant_id = $1', [bench.admin.tenantId, to]);
  await write(plan);
  onTestFinished(async () => void (await write('enterprise')));
}

/** A directory whose files are old enough to be whole. */
function directoryOf(name: string, files: readonly string[]): string {
  const directory = path.join(bench.folder, name);
  mkdirSync(directory);
  const old = new Date(Date.now() - 3_600_000);
  for (const [index, file] of files.entries()) {
    mkdirSync(path.dirname(path.join(directory, file)), { recursive: true });
    writeFileSync(path.join(directory, file), text(100 + index));
    utimesSync(path.join(directory, file), old, old);
  }
  return directory;
}

const everything = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .sort();

async function eventsOf(sourceId: string, type: string): Promise<number> {
  const { rows } = await bench.db.admin.query<{ n: number }>(
    `select count(*)::int as n from engine.events where type = $2 and data ->> 'source_id' = $1`,
    [sourceId, type],
  );
  return rows[0]?.n ?? 0;
}

describe('the schedule of a source', () => {
  it('starts a sync when it is due, in its time zone and with its jitter; a paused source has none until it is resumed', async () => {
    await bench.put('timed/doc.txt', text(1));
    const timing = { cron: '30 3 * * *', time_zone: 'Asia/Tokyo', jitter_seconds: 120 };
    const source = await bench.connect(bench.wish('timed', timing));
    const made = await show(source);
    expect(made).toMatchObject({ ...timing, freshness: 'never synced' });
    // 03:30 in Tokyo is 18:30 UTC of the day before; up to two minutes of jitter come on top.
    const due = new Date(made.next_sync_at);
    expect([18 * 60 + 30, 18 * 60 + 31, 18 * 60 + 32]).toContain(due.getUTCHours() * 60 + due.getUTCMinutes());

    expect((await update(source, { paused: true })).json()).toMatchObject({ freshness: 'paused', next_sync_at: null });
    const other = await bench.connect(bench.wish('timed too', { ...timing, prefix: 'timed/' }));
    const fire = (...due: string[]) =>
      bench.db.admin.query(`update engine.schedules set next_at = engine.now() where name = any ($1)`, [
        due.map((each) => `source:${each}`),
      ]);
    const synced = (due: string) =>
      waitFor(
        async () => {
          const now = await show(due);
          return now.freshness === 'fresh' ? now : undefined;
        },
        { what: 'the schedule to sync the source' },
      );
    // Both are due; the round that starts the other one passes by the paused one.
    await fire(source, other);
    await synced(other);
    expect(await show(source)).toMatchObject({ freshness: 'paused', syncs: [] });
    const refused = await bench.api.call('sources.sync', { as: bench.admin, params: params(source) });
    expect(refused.json()).toMatchObject({ code: 'source_paused' });

    await update(source, { paused: false });
    await fire(source);
    expect((await synced(source)).syncs).toMatchObject([
      { trigger: 'schedule', status: 'synced', counts: { seen: 1, new: 1 } },
    ]);
  });

  it('is as frequent as the plan allows; the preview says so before anything is saved, and "sync now" is never limited', async () => {
    await withPlan('free');
    const often = bench.wish('often', { cron: '*/30 * * * *' });
    for (const operation of ['sources.preview', 'sources.create'] as const) {
      const answer = await bench.api.call(operation, { as: bench.admin, body: often });
      expect([operation, answer.statusCode, answer.json().code]).toEqual([operation, 422, 'source_too_often']);
    }
    await bench.put('often/doc.txt', text(2));
    const source = await bench.connect({ ...often, cron: '0 * * * *' });
    expect((await update(source, { cron: '* * * * *' })).json().code).toBe('source_too_often');
    for (const _ of [1, 2]) expect(await bench.sync(source)).toMatchObject({ status: 'synced' });
  });

  it('and all others of a tenant are no more sources than the plan allows, which the preview of the next one says', async () => {
    await withPlan('free');
    const { rows } = await bench.db.admin.query<{ n: number }>(
      'select count(*)::int as n from ingestion_sources where tenant_id = $1',
      [bench.admin.tenantId],
    );
    for (let n = rows[0]?.n ?? 0; n < 3; n += 1) await bench.connect(bench.wish(`room${n}`));
    for (const operation of ['sources.preview', 'sources.create'] as const) {
      const answer = await bench.api.call(operation, { as: bench.admin, body: bench.wish('one too many') });
      expect([operation, answer.json().code]).toEqual([operation, 'source_limit_reached']);
    }
  });
});

describe('a taken object', () => {
  const taken = { a: 'in/a.txt', b: 'b.txt' };

  it('of a bucket is left, tagged or moved as its source says, and a moved one has not vanished', async () => {
    const make = async (name: string, over: object) => {
      await bench.put(`${name}/a.txt`, text(name.length));
      const source = await bench.connect(bench.wish(name, over));
      expect(await bench.sync(source)).toMatchObject({ receipt: { read: 1, outcomes: { new: 1 } } });
      return source;
    };
    await make('left', {});
    expect(bench.bucket.tagsOf('left/a.txt')).toEqual({});
    const tagged = await make('tagged', { after_taken: 'tag' });
    expect(bench.bucket.tagsOf('tagged/a.txt')).toEqual({ millrace: 'taken' });
    expect(await bench.sync(tagged)).toMatchObject({ receipt: { outcomes: { unchanged: 1 } } });
    const { bucket, endpoint } = bench.bucket;
    const place = { kind: 's3', bucket, endpoint, move_to: 'archive' };
    const moved = await make('moved', { after_taken: 'move', place });
    expect(await bench.sync(moved)).toMatchObject({ status: 'synced', receipt: { read: 0, vanished: 0 } });
    expect(await bench.objects(moved)).toEqual({ 'a.txt': 'kept' });
    expect(await bench.served()).toContain(`s3://${bucket}/moved/a.txt`);
  });

  it.each(['folder', 'sftp', 'ftp'] as const)(
    'of a %s place is moved below the directory of taken ones, and has not vanished',
    async (kind) => {
      const root = directoryOf(`moving-${kind}`, Object.values(taken));
      const server =
        kind === 'folder' ? undefined : kind === 'sftp' ? await startSftpServer(root) : await startFtpServer(root);
      onTestFinished(async () => void (await server?.close()));
      const reach =
        server === undefined
          ? { place: { kind, directory: root } }
          : {
              place: { kind, host: '127.0.0.1', port: server.port, ...(kind === 'ftp' ? { tls: 'none' } : {}) },
              credential: server.credential,
            };
      const source = await bench.connect({
        name: `Moving ${kind}`,
        pipeline: 'documents',
        after_taken: 'move',
        settle_seconds: 0,
        ...reach,
      });
      expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 2, outcomes: { new: 2 } } });
      expect(everything(root)).toEqual(['taken/b.txt', 'taken/in/a.txt']);
      expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 0, vanished: 0 } });
      const served = (await bench.served()).filter((uri) => uri.startsWith(`${kind}://`));
      expect(served.filter((uri) => uri.endsWith('/b.txt') || uri.endsWith('/in/a.txt')).length).toBeGreaterThanOrEqual(
        2,
      );
      const tag = await update(source, { after_taken: 'tag' });
      expect(tag.json()).toMatchObject({ code: 'source_settings_invalid' });
    },
  );
});

describe('where taken objects are moved', () => {
  it('is inside the place and not listed, also by a source of the whole bucket, however often it syncs', async () => {
    const { bucket, endpoint } = bench.bucket;
    const wish = bench.wish('whole', { after_taken: 'move', prefix: '', include: ['whole*/**', 'taken/**'] });
    for (const move_to of ['../outside', '/etc', 'a/../..'])
      expect(
        (
          await bench.api.call('sources.create', {
            as: bench.admin,
            body: { ...wish, place: { kind: 's3', bucket, endpoint, move_to } },
          })
        ).json(),
      ).toMatchObject({ code: 'source_settings_invalid' });
    await bench.put('whole/a.txt', text(7));
    const source = await bench.connect(wish);
    expect(await bench.sync(source)).toMatchObject({ receipt: { read: 1, outcomes: { new: 1 } } });
    for (const _ of [1, 2]) expect(await bench.sync(source)).toMatchObject({ receipt: { read: 0, vanished: 0 } });
    const below = await bench.api.call('sources.create', {
      as: bench.admin,
      body: bench.wish('taken', { after_taken: 'move' }),
    });
    expect(below.json()).toMatchObject({ code: 'source_settings_invalid' });
  });
});

describe('trouble of a source', () => {
  it('is told once by an event when a sync failed, and when no sync came for too long', async () => {
    await bench.put('told/doc.txt', text(5));
    const source = await bench.connect(bench.wish('told', { cron: '0 0 1 1 *', stale_after_seconds: 60 }));
    await bench.sync(source);
    bench.bucket.fail({ method: 'GET', url: /list-type/, times: 100, act: { status: 404, code: 'NoSuchBucket' } });
    expect(await bench.sync(source)).toMatchObject({ status: 'failed' });
    bench.bucket.heal();
    expect(await eventsOf(source, 'source.failed')).toBe(1);

    await tellStale(bench.engine);
    expect(await eventsOf(source, 'source.stale')).toBe(0);
    const age = () =>
      bench.db.admin.query(
        `update ingestion_sources set listed_at = engine.now() - interval '2 minutes' where source_id = $1`,
        [source],
      );
    await age();
    for (const _ of [1, 2]) await tellStale(bench.engine);
    expect(await eventsOf(source, 'source.stale')).toBe(1);
    // A complete sync ends it; the next time is told again.
    await bench.sync(source);
    expect(await show(source)).toMatchObject({ freshness: 'fresh' });
    await age();
    expect(await show(source)).toMatchObject({ freshness: 'stale' });
    await tellStale(bench.engine);
    expect(await eventsOf(source, 'source.stale')).toBe(2);
  });
});

describe('the syncs of a source', () => {
  it('are remembered by the newest thirty; those behind them are in the ledger alone', async () => {
    await bench.put('many/doc.txt', text(6));
    const source = await bench.connect(bench.wish('many'));
    const { id: first } = await bench.sync(source);
    const older = Array.from({ length: 40 }, (_, n) => `00000000-0000-7000-8000-0000000000${n + 10}`);
    await bench.db.admin.query(
      `insert into source_syncs (tenant_id, source_id, sync_id) select $1, $2, unnest($3::uuid[])`,
      [bench.admin.tenantId, source, older],
    );
    const { id: second } = await bench.sync(source);
    const { rows } = await bench.db.admin.query<{ sync_id: string }>(
      'select sync_id from source_syncs where source_id = $1 order by sync_id desc',
      [source],
    );
    expect(rows.map((row) => row.sync_id)).toEqual([second, first, ...older.sort().reverse().slice(0, 28)]);
    const { syncs } = await show(source);
    expect(syncs.map((each: { sync_id: string }) => each.sync_id)).toEqual([second, first]);
  });
});
