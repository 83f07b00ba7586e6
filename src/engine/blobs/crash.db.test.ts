// A process dies between a mark in the database and the bytes it is about, in both directions: nothing that is needed goes, nothing
// that is not needed stays, and the next process finishes what was begun.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BlobCrashOrders } from '../../../test/support/blob-crash-child.ts';
import { inChunks } from '../../../test/support/blob-store-conformance.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { compiledProgram } from '../../../test/support/programs.ts';
import { DiskBlobStore } from '../../platform/blob/disk-blob-store.ts';
import { findBlob, recordBlob } from './blobs.ts';
import { storeFile } from './store-file.ts';
import { sweepBlobs } from './sweep-blobs.ts';

const database = useDatabase();
const program = compiledProgram('test/support/blob-crash-child.ts');
let root: string;
let store: DiskBlobStore;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-blob-crash-'));
  store = new DiskBlobStore({ root });
});
afterAll(() => rm(root, { recursive: true }));

/** How the process ended. */
function runChild(orders: Omit<BlobCrashOrders, 'url' | 'root'>): NodeJS.Signals | number | null {
  const all = JSON.stringify({ url: database.appUrl, root, ...orders });
  const { signal, status } = spawnSync(process.execPath, [program, all], { stdio: 'inherit' });
  return signal ?? status;
}

/** Every stored file, as a day later. */
async function ageAll(): Promise<string[]> {
  const longAgo = new Date(Date.now() - 25 * 3_600_000);
  const files = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  for (const file of paths) await utimes(file, longAgo, longAgo);
  return paths;
}

describe('a process that dies', () => {
  it("at 'sweep.after_mark' leaves bytes that the next sweep takes", async () => {
    const file = await storeFile(store, {
      tenantId: randomUUID(),
      fileName: 'report.csv',
      body: inChunks(Buffer.from('a,b\n1,2\n')),
      maxBytes: 1_000,
      sniff: () => ({ format: 'csv', mediaType: 'text/csv' }),
    });
    await recordBlob(database.engine, file, {});
    await database.admin.query(`update engine.blobs set created_at = created_at - interval '25 hours'`);
    expect(runChild({ failpoint: 'sweep.after_mark' })).toBe('SIGKILL');
    expect((await findBlob(database.engine, file.blobId))?.deleted_at).not.toBeNull();
    expect(await store.head(file.storeKey)).toBeDefined();
    await ageAll();
    await sweepBlobs(database.engine, store);
    expect(await store.head(file.storeKey)).toBeUndefined();
  });

  it("at 'replay.before_commit' has replayed nothing: the rows can be replayed again, the bytes are swept", async () => {
    const [tenantId, runId] = [randomUUID(), randomUUID()];
    await database.admin.query(
      `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, receipt, finished_at)
       values ($1, $2, 'replayed', 'completed', 'done', '', '{}', '{"read": 0}', engine.now())`,
      [runId, tenantId],
    );
    await database.admin.query(
      `insert into engine.rejects (tenant_id, run_id, code, message, cause, item, status, correction)
       values ($1, $2, 'x', 'x', 'x', '{"a": "1"}', 'corrected', '{"cells": {"a": "2"}}')`,
      [tenantId, runId],
    );
    const replay = { tenantId, runId };
    expect(runChild({ failpoint: 'replay.before_commit', replay })).toBe('SIGKILL');
    const countRuns = async () =>
      (await database.admin.query(`select from engine.runs where tenant_id = $1 and id <> $2`, [tenantId, runId]))
        .rowCount;
    expect(await countRuns()).toBe(0);
    expect(await ageAll()).toHaveLength(1);
    expect((await sweepBlobs(database.engine, store)).orphans).toBe(1);
    expect(await ageAll()).toHaveLength(0);
    expect(runChild({ replay })).toBe(0);
    expect(await countRuns()).toBe(1);
  });
});
