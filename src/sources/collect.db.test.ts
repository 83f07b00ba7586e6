// From a dropped file to exactly one run: several processes at once, kills at every boundary, and everything that can be refused.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useDatabase } from '../../test/support/database.ts';
import { compiledProgram } from '../../test/support/programs.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { DiskBlobStore } from '../platform/blob/disk-blob-store.ts';
import { silentLog } from '../platform/log.ts';
import { type CollectOptions, collectOnce, type Delivered, type Delivery } from './collect.ts';
import { createCollector } from './collector.ts';
import { FolderSource } from './folder/folder-source.ts';
import { type Accepted, acceptFile, type IntakeRequest } from './intake.ts';

const database = useDatabase();
const never = new AbortController().signal;
let home: string;
let folder: string;
let store: DiskBlobStore;
let tenantId: string;
let children: ChildProcess[];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'millrace-collect-'));
  folder = join(home, 'inbox');
  await mkdir(folder);
  store = new DiskBlobStore({ root: join(home, 'blobs') });
  tenantId = randomUUID();
  children = [];
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(home, { recursive: true, force: true });
});

async function accept({ file, uniqueKey }: IntakeRequest<unknown>): Promise<Accepted> {
  const { rows } = await database.engine.query<{ id: string }>(
    `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, blob_id, unique_key)
     values ($1, $2, 'test', 'waiting', 'waiting', '', '{}', $3, $4) on conflict do nothing returning id`,
    [randomUUID(), tenantId, file.blobId, uniqueKey],
  );
  return { runId: rows[0]?.id ?? 'found by its key', status: 'waiting', created: rows.length === 1 };
}

/** As the product delivers. */
const deliverBy =
  (doAccept: typeof accept) =>
  async (delivery: Delivery): Promise<Delivered> => {
    const deps = { store, pool: database.app, control: database.engine };
    const given = { ...delivery, fields: {}, at: delivery.modifiedAt };
    return (await acceptFile(deps, { fields: z.object({}), accept: doAccept }, given)).answer;
  };
const deliver = deliverBy(accept);

function build(changes: Partial<CollectOptions> = {}): CollectOptions {
  return {
    source: new FolderSource({ name: 'inbox', folder, stillMs: 0, claimLostMs: 0 }),
    tenantId,
    store,
    maxBytes: 1_000_000,
    sniff: () => ({ format: 'csv', mediaType: 'text/csv', extensions: ['csv'] }),
    deliver,
    log: silentLog,
    ...changes,
  };
}

async function runs(): Promise<{ name: string; content: string }[]> {
  const { rows } = await database.admin.query<{ original_name: string; store_key: string }>(
    `select b.original_name, b.store_key from engine.runs r join engine.blobs b on b.blob_id = r.blob_id
     where r.tenant_id = $1 and b.deleted_at is null order by b.original_name`,
    [tenantId],
  );
  return Promise.all(
    rows.map(async ({ original_name, store_key }) => ({
      name: original_name,
      content: await readFile(join(store.root, store_key), 'utf8'),
    })),
  );
}

const storedBlobs = async () => (await readdir(join(store.root, tenantId)).catch(() => [])).length;
const listing = (name: string) => readdir(join(folder, name)).catch(() => [] as string[]);

function watchingProcess(failpoint?: string): ChildProcess {
  const script = compiledProgram('test/support/watching-process.ts');
  const orders = { folder, root: store.root, url: database.appUrl, tenantId, failpoint };
  const child = spawn(process.execPath, [script, JSON.stringify(orders)], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  children.push(child);
  return child;
}

describe('collecting a folder', () => {
  it('makes one run of each file, with exactly its bytes, and moves it', async () => {
    await writeFile(join(folder, 'a.csv'), 'a,b\n1,2\n');
    await writeFile(join(folder, 'b.csv'), 'c,d\n');
    expect(await collectOnce(build(), never)).toEqual({ accepted: 2, refused: 0, postponed: 0 });
    expect(await runs()).toEqual([
      { name: 'a.csv', content: 'a,b\n1,2\n' },
      { name: 'b.csv', content: 'c,d\n' },
    ]);
    expect((await listing('accepted')).toSorted()).toEqual(['a.csv', 'b.csv']);
    expect(await listing('taking')).toEqual([]);
  });

  it.each([
    ['empty', async (path: string) => writeFile(path, ''), 'file_empty'],
    [
      'larger than allowed',
      async (path: string) => writeFile(path, '').then(() => truncate(path, 5_000_000_000)),
      'file_too_large',
    ],
  ])('a file that is %s is refused with its reason and leaves no blob', async (_, drop, code) => {
    await drop(join(folder, 'x.csv'));
    expect(await collectOnce(build(), never)).toEqual({ accepted: 0, refused: 1, postponed: 0 });
    expect(await readFile(join(folder, 'refused', 'x.csv.reason.txt'), 'utf8')).toContain(code);
    expect(await storedBlobs()).toBe(0);
  });

  it('a file whose content does not fit its name is refused with its reason', async () => {
    await writeFile(join(folder, 'x.exe'), 'a,b\n');
    await collectOnce(build(), never);
    expect(await readFile(join(folder, 'refused', 'x.exe.reason.txt'), 'utf8')).toContain('content_mismatch');
  });

  it('a file the pipeline refuses is put aside, and its bytes are not kept', async () => {
    await writeFile(join(folder, 'x.csv'), 'a,b\n');
    const refuse = deliverBy(() =>
      Promise.reject(new MillraceError('input_invalid', { pipeline: 'test', reason: 'no' })),
    );
    expect(await collectOnce(build({ deliver: refuse }), never)).toMatchObject({ refused: 1 });
    expect(await listing('refused')).toContain('x.csv');
    expect(await storedBlobs()).toBe(0);
  });

  it('a file that conflicts with what is there is refused once with its reason: nobody is asked, and it is not stored again', async () => {
    await writeFile(join(folder, 'x.csv'), 'a,b\n');
    const conflict = deliverBy(() => Promise.reject(new MillraceError('document_purged', { document: 'x' })));
    expect(await collectOnce(build({ deliver: conflict }), never)).toMatchObject({ refused: 1 });
    expect(await collectOnce(build({ deliver: conflict }), never)).toEqual({ accepted: 0, refused: 0, postponed: 0 });
    expect(await readFile(join(folder, 'refused', 'x.csv.reason.txt'), 'utf8')).toContain('document_purged');
    expect(await storedBlobs()).toBe(0);
  });

  it('a file that waits for somebody to change the configuration stays where it is, and each try takes its bytes back', async () => {
    await writeFile(join(folder, 'x.csv'), 'a,b\n');
    const wrong = deliverBy(() => Promise.reject(new MillraceError('config_invalid', { faults: 'no' })));
    for (let round = 0; round < 2; round += 1)
      expect(await collectOnce(build({ deliver: wrong }), never)).toEqual({ accepted: 0, refused: 0, postponed: 1 });
    expect(await storedBlobs()).toBe(0);
  });

  it('a file that cannot be taken now stays, and is taken once it can', async () => {
    await writeFile(join(folder, 'x.csv'), 'a,b\n');
    const options = build();
    const down = { ...options, deliver: () => Promise.reject(new MillraceError('database_lost')) };
    for (let round = 0; round < 3; round += 1) {
      expect(await collectOnce(down, never)).toEqual({ accepted: 0, refused: 0, postponed: 1 });
    }
    expect(await collectOnce(options, never)).toMatchObject({ accepted: 1 });
    expect(await runs()).toHaveLength(1);
    expect(await listing('accepted')).toEqual(['x.csv']);
  });

  it('an answer lost after commit makes no second run, and the bytes of the run stay', async () => {
    await writeFile(join(folder, 'x.csv'), 'a,b\n');
    const options = build();
    let calls = 0;
    const flaky = async (delivery: Delivery) => {
      const delivered = await deliver(delivery);
      calls += 1;
      if (calls === 1) throw new MillraceError('database_lost');
      return delivered;
    };
    await collectOnce({ ...options, deliver: flaky }, never);
    await collectOnce({ ...options, deliver: flaky }, never);
    expect(calls).toBe(2);
    expect(await runs()).toEqual([{ name: 'x.csv', content: 'a,b\n' }]);
    expect(await storedBlobs()).toBe(1);
  });

  it('the same file dropped again with its old time is known; with a new time it is a new run', async () => {
    await writeFile(join(folder, 'x.csv'), 'a,b\n');
    await collectOnce(build(), never);

    const { atime, mtime } = await stat(join(folder, 'accepted', 'x.csv'));
    await copyFile(join(folder, 'accepted', 'x.csv'), join(folder, 'x.csv'));
    await utimes(join(folder, 'x.csv'), atime, mtime);
    await writeFile(join(folder, 'y.csv'), 'later');
    await collectOnce(build(), never);
    const again = await runs();
    await copyFile(join(folder, 'accepted', 'x.csv'), join(folder, 'x.csv'));
    await utimes(join(folder, 'x.csv'), atime, new Date(mtime.getTime() + 5_000));
    await collectOnce(build(), never);
    expect(await runs()).toHaveLength(again.length + 1);
  });
});

describe('a process killed with kill -9 while it takes a file', () => {
  it.each([
    'blob.after_write',
    'blob.after_rename',
    'source.after_claim',
    'source.after_deliver',
    'source.before_move',
  ])('at %s leaves a file that the next process makes exactly one run of', async (failpoint) => {
    await writeFile(join(folder, 'x.csv'), 'a,b\n1,2\n');
    const dying = watchingProcess(failpoint);
    const [, signal] = (await once(dying, 'exit')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
    const next = watchingProcess();
    await waitFor(async () => (await listing('accepted')).length === 1, {
      what: 'the file to be moved',
    });
    next.stdin?.end();
    await once(next, 'exit');
    expect(await runs()).toEqual([{ name: 'x.csv', content: 'a,b\n1,2\n' }]);
    expect(await listing('taking')).toEqual([]);
  });
});

describe('two processes that watch one folder', () => {
  it('make one run of each of 60 files', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `f${String(index).padStart(2, '0')}.csv`);
    const watchers = [watchingProcess(), watchingProcess()];
    for (const name of names) {
      // Written aside and moved in, as a careful sender does: the watchers here wait for nothing.
      await writeFile(join(home, name), `content of ${name}`);

      await rename(join(home, name), join(folder, name));
    }
    await waitFor(async () => (await listing('accepted')).length === 60, {
      what: 'all files to be moved',
    });
    for (const watcher of watchers) watcher.stdin?.end();
    await Promise.all(watchers.map((watcher) => (watcher.exitCode === null ? once(watcher, 'exit') : undefined)));
    expect((await runs()).map(({ name }) => name)).toEqual(names);
    expect(await storedBlobs()).toBe(60);
  });
});

describe('the collector', () => {
  it('takes what is dropped while it runs, and stops when told', async () => {
    const collector = createCollector({ ...build(), pollMs: 20 });
    collector.start();
    await writeFile(join(home, 'x.csv'), 'a,b\n');

    await rename(join(home, 'x.csv'), join(folder, 'x.csv'));
    await waitFor(async () => (await listing('accepted')).length === 1);
    await collector.stop();
    expect(await runs()).toHaveLength(1);
  });

  it('goes on when its folder comes back', async () => {
    await rm(folder, { recursive: true });
    const collector = createCollector({ ...build(), pollMs: 5 });
    collector.start();
    await mkdir(folder);
    await writeFile(join(folder, 'x.csv'), 'a,b\n');
    await waitFor(async () => (await listing('accepted')).length === 1);
    await collector.stop();
    expect(await runs()).toHaveLength(1);
  });
});
