// The rows of stored bytes on a real Postgres and a real disk: who may see them, what the sweep takes and what it spares.
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inChunks } from '../../../test/support/blob-store-conformance.ts';
import { codeOf } from '../../../test/support/code-of.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { DiskBlobStore } from '../../platform/blob/disk-blob-store.ts';
import { withTenant } from '../../platform/database.ts';
import { silentLog } from '../../platform/log.ts';
import { createBlobSweeper } from '../services/blob-sweeper.ts';
import { discardFile, findBlob, findSameBytes, recordBlob } from './blobs.ts';
import { markExpiredBlobs, markUnusedBlobs } from './sql/mark-blobs-deleted.ts';
import { type StoredFile, storeFile } from './store-file.ts';
import { defaultSweep, sweepBlobs } from './sweep-blobs.ts';

const database = useDatabase();
const tenantId = randomUUID();
let root: string;
let store: DiskBlobStore;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-sweep-'));
  store = new DiskBlobStore({ root });
});
beforeEach(async () => {
  await database.admin.query('truncate engine.runs, engine.blobs, engine.rejects');
  await rm(join(root, tenantId), { recursive: true, force: true });
});
afterAll(() => rm(root, { recursive: true }));

async function buildFile(content = `a,b\n${randomUUID()}\n`, tenant = tenantId): Promise<StoredFile> {
  return storeFile(store, {
    tenantId: tenant,
    fileName: 'report.csv',
    body: inChunks(Buffer.from(content)),
    maxBytes: 1_000_000,
    sniff: () => ({ format: 'csv', mediaType: 'text/csv' }),
  });
}

async function buildRun(blobId: string, phase: 'waiting' | 'done', tenant = tenantId): Promise<string> {
  const id = randomUUID();
  await database.admin.query(
    `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, blob_id, receipt, finished_at)
     values ($1, $2, 'test', $3, $3, '', '{}', $4, '{"read": 0}', case when $3 = 'done' then engine.now() end)`,
    [id, tenant, phase, blobId],
  );
  return id;
}

async function buildReject(runId: string): Promise<void> {
  await database.admin.query(
    `insert into engine.rejects (tenant_id, run_id, code, message, cause, item) values ($1, $2, 'x', 'x', 'x', '{}')`,
    [tenantId, runId],
  );
}

async function age(file: StoredFile, interval: string): Promise<void> {
  await database.admin.query(
    `update engine.blobs set created_at = created_at - $2::interval, keep_until = keep_until - $2::interval where blob_id = $1`,
    [file.blobId, interval],
  );
}

async function ageBytes(file: StoredFile): Promise<void> {
  const longAgo = new Date(Date.now() - 25 * 3_600_000);
  await utimes(join(root, file.storeKey), longAgo, longAgo);
}

const isStored = async (file: StoredFile) => (await store.head(file.storeKey)) !== undefined;

describe('recording a blob', () => {
  it('keeps what was stored, once, however often it is said', async () => {
    const file = await buildFile();
    const createdBy = randomUUID();
    await recordBlob(database.engine, file, { createdBy });
    await recordBlob(database.engine, file, { createdBy });
    const row = await findBlob(database.engine, file.blobId);
    expect(row).toMatchObject({
      tenant_id: tenantId,
      store_key: file.storeKey,
      bytes: file.bytes,
      original_name: 'report.csv',
      media_type: 'text/csv',
      created_by: createdBy,
      deleted_at: null,
    });
    expect(row?.sha256.equals(file.sha256)).toBe(true);
    const keptDays = ((row?.keep_until.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(Math.round(keptDays)).toBe(90);
  });

  it('is possible for the app role under its own tenant only', async () => {
    const mine = await buildFile();
    const foreign = await buildFile('x,y\n', randomUUID());
    const session = { tenantId, role: 'millrace_app' };
    await withTenant(database.app, session, (db) => recordBlob(db, mine));
    await expect(withTenant(database.app, session, (db) => recordBlob(db, foreign))).rejects.toThrow(
      /row-level security/,
    );
  });

  it('is seen by its tenant, by nobody without a tenant, and by no other tenant', async () => {
    const file = await buildFile();
    await recordBlob(database.engine, file);
    const seenBy = (tenant: string) =>
      withTenant(database.app, { tenantId: tenant, role: 'millrace_app' }, (db) => findBlob(db, file.blobId));
    expect(await seenBy(tenantId)).toBeDefined();
    expect(await seenBy(randomUUID())).toBeUndefined();
    expect(await findBlob(database.app, file.blobId)).toBeUndefined();
  });

  it('cannot be changed or removed by the app role', async () => {
    const file = await buildFile();
    await recordBlob(database.engine, file);
    const session = { tenantId, role: 'millrace_app' };
    const change = 'update engine.blobs set keep_until = engine.now()';
    await expect(withTenant(database.app, session, (db) => db.query(change))).rejects.toThrow(/permission denied/);
    await expect(withTenant(database.app, session, (db) => db.query('delete from engine.blobs'))).rejects.toThrow(
      /permission denied/,
    );
  });
});

describe('the same bytes again', () => {
  it('are found by the run that had them first, within the tenant only', async () => {
    const content = `a,b\n${randomUUID()}\n`;
    const [first, second, foreign] = [
      await buildFile(content),
      await buildFile(content),
      await buildFile(content, randomUUID()),
    ];
    for (const file of [first, second, foreign]) await recordBlob(database.engine, file);
    const run = await buildRun(first.blobId, 'done');
    expect(await findSameBytes(database.engine, second)).toEqual({ runId: run, blobId: first.blobId });
    expect(await findSameBytes(database.engine, first)).toBeUndefined();
    expect(await findSameBytes(database.engine, foreign)).toBeUndefined();
    expect(second.sha256.equals(createHash('sha256').update(content).digest())).toBe(true);
  });
});

describe('finding the same bytes', () => {
  it('is one index look-up for the app role, row-level security included', async () => {
    const plan = await withTenant(database.app, { tenantId, role: 'millrace_app' }, async (db) => {
      await db.query('set local enable_seqscan = off');
      const { rows } = await db.query<{ 'QUERY PLAN': string }>(
        `explain select blob_id from engine.blobs where tenant_id = $1 and sha256 = $2`,
        [tenantId, Buffer.alloc(32)],
      );
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    expect(plan).toMatch(/Index Cond: .*tenant_id.*sha256/s);
    expect(plan).toContain('blobs_same_bytes');
  });
});

describe('storing a file', () => {
  it('asks the sniffer with the first bytes and the shown name', async () => {
    let seen: { head: string; name: string } | undefined;
    await storeFile(store, {
      tenantId,
      fileName: '../../x/Report\u202e.csv',
      body: inChunks(Buffer.from('a,b\n1,2\n'), 3),
      maxBytes: 1_000,
      sniff: (head, name) => {
        seen = { head: Buffer.from(head).toString(), name };
        return { format: 'csv', mediaType: 'text/csv' };
      },
    });
    expect(seen).toEqual({ head: 'a,b\n1,2\n', name: 'Report.csv' });
  });

  it('never stores a byte of a file it refuses', async () => {
    const refused = storeFile(store, {
      tenantId,
      fileName: 'x.pdf',
      body: inChunks(Buffer.from('a,b\n')),
      maxBytes: 1_000,
      sniff: () => ({ format: 'csv', mediaType: 'text/csv', extensions: ['csv'] }),
    });
    expect(await codeOf(refused)).toBe('content_mismatch');
    expect(await readdir(join(root, tenantId)).catch(() => [])).toEqual([]);
  });
});

describe('taking a file back', () => {
  it('removes its bytes and marks its row', async () => {
    const file = await buildFile();
    await recordBlob(database.engine, file);
    await discardFile(database.engine, store, file);
    expect(await isStored(file)).toBe(false);
    expect((await findBlob(database.engine, file.blobId))?.deleted_at).toBeInstanceOf(Date);
  });

  it('works before there is a row', async () => {
    const file = await buildFile();
    await discardFile(database.engine, store, file);
    expect(await isStored(file)).toBe(false);
  });

  it('spares what a run uses after all', async () => {
    const file = await buildFile();
    await recordBlob(database.engine, file);
    await buildRun(file.blobId, 'waiting');
    await discardFile(database.engine, store, file);
    expect(await isStored(file)).toBe(true);
  });
});

describe('the sweep', () => {
  const sweep = () => sweepBlobs(database.engine, store, defaultSweep);

  it('takes a blob no run has used for a day, and spares a younger one', async () => {
    const [old, young] = [await buildFile(), await buildFile()];
    for (const file of [old, young]) await recordBlob(database.engine, file);
    await age(old, '25 hours');
    expect(await sweep()).toMatchObject({ unused: 1, expired: 0 });
    expect([await isStored(old), await isStored(young)]).toEqual([false, true]);
  });

  it('takes stored bytes whose row was never written, once they are a day old', async () => {
    const [old, young] = [await buildFile(), await buildFile()];
    await ageBytes(old);
    expect(await sweep()).toMatchObject({ orphans: 1 });
    expect([await isStored(old), await isStored(young)]).toEqual([false, true]);
  });

  it('takes bytes whose row was marked by a sweep that was killed', async () => {
    const file = await buildFile();
    await recordBlob(database.engine, file);
    await database.admin.query('update engine.blobs set deleted_at = engine.now()');
    await ageBytes(file);
    expect(await sweep()).toMatchObject({ orphans: 1 });
    expect(await isStored(file)).toBe(false);
  });

  it('spares the blob of a run, however old, until its time is over', async () => {
    const file = await buildFile();
    await recordBlob(database.engine, file);
    await buildRun(file.blobId, 'done');
    await age(file, '89 days');
    await ageBytes(file);
    expect(await sweep()).toMatchObject({ unused: 0, expired: 0, orphans: 0 });
    await age(file, '2 days');
    expect(await sweep()).toMatchObject({ expired: 1 });
    expect(await isStored(file)).toBe(false);
  });

  it('spares the blob of a run that still has rejects, and of one that has not ended', async () => {
    const [rejected, waiting] = [await buildFile(), await buildFile()];
    for (const file of [rejected, waiting]) await recordBlob(database.engine, file);
    await buildReject(await buildRun(rejected.blobId, 'done'));
    await buildRun(waiting.blobId, 'waiting');
    for (const file of [rejected, waiting]) await age(file, '400 days');
    expect(await sweep()).toMatchObject({ expired: 0 });
    expect([await isStored(rejected), await isStored(waiting)]).toEqual([true, true]);
    await database.admin.query('delete from engine.rejects');
    expect(await sweep(), 'looked at again a day later').toMatchObject({ expired: 0 });
    await age(rejected, '25 hours');
    expect(await sweep()).toMatchObject({ expired: 1 });
    expect([await isStored(rejected), await isStored(waiting)]).toEqual([false, true]);
  });

  it('asks once of each blob whether a run has it, and reads no blob in use again', async () => {
    const files = await Promise.all(Array.from({ length: 3 }, () => buildFile()));
    for (const file of files) {
      await recordBlob(database.engine, file);
      await buildRun(file.blobId, 'waiting');
      await age(file, '2 days');
    }
    expect(await markUnusedBlobs(database.engine, 24, 2)).toEqual({ looked: 2, rows: [] });
    expect(await markUnusedBlobs(database.engine, 24, 2)).toEqual({ looked: 1, rows: [] });
    expect(await markUnusedBlobs(database.engine, 24, 2)).toEqual({ looked: 0, rows: [] });
    await database.admin.query(`update engine.blobs set keep_until = engine.now() - interval '1 minute'`);
    expect(await markExpiredBlobs(database.engine, 2)).toEqual({ looked: 2, rows: [] });
    expect(await markExpiredBlobs(database.engine, 2)).toEqual({ looked: 1, rows: [] });
    expect(await markExpiredBlobs(database.engine, 2)).toEqual({ looked: 0, rows: [] });
  });

  it('lists the whole store once a day, by the elected process alone; every process takes what killed uploads left', async () => {
    let listed = 0;
    let unfinished = 0;
    const watched = new Proxy(store, {
      get(target, name) {
        if (name === 'listStoredBefore') listed += 1;
        if (name === 'removeUnfinished') unfinished += 1;
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const sweeper = (isElected: boolean) =>
      createBlobSweeper({
        pool: database.engine,
        store: watched,
        log: silentLog,
        election: { isElected: () => isElected, onElected: () => () => undefined },
      });
    for (const [isElected, looks] of [
      [false, 0],
      [true, 1],
    ] as const) {
      unfinished = 0;
      const service = sweeper(isElected);
      service.start();
      await waitFor(async () => unfinished >= 1 || undefined, { what: 'the first round' });
      service.wake();
      await waitFor(async () => unfinished >= 2 || undefined, { what: 'the second round' });
      await service.stop();
      expect(listed).toBe(looks);
    }
  });

  it('run by four processes at once removes each blob once and fails nowhere', async () => {
    const files = await Promise.all(Array.from({ length: 40 }, () => buildFile()));
    for (const file of files) {
      await recordBlob(database.engine, file);
      await age(file, '2 days');
    }
    const results = await Promise.all([sweep(), sweep(), sweep(), sweep()]);
    expect(results.reduce((sum, { unused }) => sum + unused, 0)).toBe(40);
    for (const file of files) expect(await isStored(file)).toBe(false);
  });

  it('forgets rows whose bytes went long ago, but not those the ledger names', async () => {
    const [named, unnamed] = [await buildFile(), await buildFile()];
    for (const file of [named, unnamed]) await recordBlob(database.engine, file);
    await buildRun(named.blobId, 'done');
    await database.admin.query(`update engine.blobs set deleted_at = engine.now() - interval '31 days'`);
    await sweep();
    expect(await findBlob(database.engine, named.blobId)).toBeDefined();
    expect(await findBlob(database.engine, unnamed.blobId)).toBeUndefined();
  });
});
