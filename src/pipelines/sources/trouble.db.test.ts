// What can be wrong with a place or an object: each is a clear state, nothing is lost, and the rest goes on.
import { mkdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { prose } from '../../../test/support/documents.ts';
import { startSftpServer } from '../../../test/support/sftp-server.ts';
import { storeNext } from '../../../test/support/store-next.ts';
import { useSources } from '../../../test/support/use-sources.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';

const bench = useSources();
const { api } = bench;
const text = (seed: number) => prose(seed).join('\n\n');

const show = async (sourceId: string) =>
  (await api.call('sources.show', { as: bench.admin, params: { source_id: sourceId } })).json();

async function objectsOf(sourceId: string): Promise<{ key: string; status: string; error_code: string | null }[]> {
  return (await api.call('sources.objects', { as: bench.admin, params: { source_id: sourceId } })).json().data;
}

const diskFullOnce = () =>
  storeNext(bench.deps, () => async () => {
    throw new MillraceError('disk_full');
  });

/** A folder of the server; its files are old enough to be whole. */
function folderOf(name: string, files: Readonly<Record<string, string | Buffer>>): string {
  const directory = path.join(bench.folder, name);
  mkdirSync(directory);
  const old = new Date(Date.now() - 3_600_000);
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(path.join(directory, file), content);
    utimesSync(path.join(directory, file), old, old);
  }
  return directory;
}

const folderWish = (name: string, directory: string, over: object = {}) => ({
  name,
  pipeline: 'documents',
  place: { kind: 'folder', directory },
  ...over,
});

describe('a place in trouble', () => {
  it.each([
    ['a wrong key', 403, 'InvalidAccessKeyId', 'source_denied'],
    ['a clock that is wrong', 403, 'RequestTimeTooSkewed', 'source_clock_skewed'],
    ['a bucket that is gone', 404, 'NoSuchBucket', 'source_place_gone'],
  ])('%s fails the sync, is told on the source, and takes nothing away', async (name, status, code, ours) => {
    const prefix = name.replaceAll(' ', '-');
    await bench.put(`${prefix}/doc.txt`, text(1));
    const source = await bench.connect(bench.wish(prefix));
    await bench.sync(source);
    bench.bucket.fail({ method: 'GET', url: /list-type/, times: 100, act: { status, code } });
    const failed = await bench.sync(source);
    expect(failed).toMatchObject({ status: 'failed', error_code: ours });
    const told = (await api.call('runs.show', { as: bench.admin, params: { run_id: failed.id } })).json().error;
    expect(told.next).toMatch(/\.$/);
    // The advice stands beside the sentence, and is not repeated in it.
    expect(told.message).not.toContain(told.next);
    bench.bucket.heal();
    expect(await show(source)).toMatchObject({ freshness: 'failing', last_error_code: ours, objects: { live: 1 } });
    expect(await bench.served()).toContain(`s3://${bench.bucket.bucket}/${prefix}/doc.txt`);
    expect(await bench.sync(source)).toMatchObject({ status: 'synced' });
    expect(await show(source)).toMatchObject({ freshness: 'fresh', last_error_code: null });
  });

  it('that throttles or hangs up now and then is asked again until the sync is whole', async () => {
    for (const n of [1, 2, 3]) await bench.put(`flaky/doc${n}.txt`, text(10 + n));
    const source = await bench.connect(bench.wish('flaky'));
    bench.bucket.fail({ method: 'GET', url: /list-type/, times: 1, act: { status: 503, code: 'SlowDown' } });
    bench.bucket.fail({ method: 'GET', url: /flaky\/doc2/, times: 1, act: 'hang-up' });
    bench.bucket.fail({ method: 'GET', url: /flaky\/doc3/, times: 2, act: { status: 500, code: 'InternalError' } });
    expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 3, outcomes: { new: 3 } } });
    bench.bucket.heal();
  });

  it('that lists without end is given up, and nothing is taken away', async () => {
    for (const n of [1, 2, 3]) await bench.put(`endless/doc${n}.txt`, text(20 + n));
    const source = await bench.connect(bench.wish('endless'));
    const before = bench.deps.settings;
    Object.assign(bench.deps, { settings: { ...before, sourceMaxObjects: 2 } });
    const failed = await bench.sync(source);
    Object.assign(bench.deps, { settings: before });
    expect(failed).toMatchObject({ status: 'failed', error_code: 'source_listing_unusable' });
    expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 3 } });
  });

  it('that shows another host key is not talked to until somebody pins the new one', async () => {
    const directory = folderOf('sftp', { 'doc.txt': text(30) });
    const first = await startSftpServer(directory);
    const place = { kind: 'sftp', host: '127.0.0.1', port: first.port, directory: '.' };
    const source = await bench.connect({ name: 'sftp', pipeline: 'documents', place, credential: first.credential });
    expect((await show(source)).place.host_key).toMatch(/^SHA256:/);
    expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 1, outcomes: { new: 1 } } });
    const { rows } = await bench.db.admin.query(
      `select r.run_type, d.source_uri from ingestion_runs r
       join documents d on d.tenant_id = r.tenant_id and d.source_uri like 'sftp:%'
       where r.source_id::text = $1`,
      [source],
    );
    expect(rows).toEqual([{ run_type: 'source', source_uri: `sftp://127.0.0.1:${first.port}/doc.txt` }]);
    await first.close();
    const second = await startSftpServer(directory, first.port);
    expect(await bench.sync(source)).toMatchObject({ status: 'failed', error_code: 'source_host_key_changed' });
    expect(await show(source)).toMatchObject({ freshness: 'failing', objects: { live: 1 } });
    await second.close();
  });
});

describe('an object in trouble', () => {
  it('with a line break in its name is taken in like any other; a name that is no text is refused and told', async () => {
    const directory = folderOf('names', { 'two\nlines.txt': text(40), 'plain.txt': text(41) });
    writeFileSync(
      Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0xff, 0xfe, 0x2e, 0x74, 0x78, 0x74])]),
      'x',
    );
    const source = await bench.connect(folderWish('names', directory));
    expect(await bench.sync(source)).toMatchObject({
      status: 'partial',
      receipt: { read: 3, outcomes: { new: 2, refused: 1 } },
    });
    const objects = await objectsOf(source);
    expect(objects.find(({ key }) => key.includes('\n'))).toMatchObject({ status: 'live' });
    expect(objects.find(({ key }) => key.includes('\uFFFD'))).toMatchObject({
      status: 'refused',
      error_code: 'source_object_name_unusable',
    });
    const { rows } = await bench.db.admin.query(
      `select source_uri from documents where source_uri like 'folder:%plain.txt'`,
    );
    expect(rows).toEqual([{ source_uri: `folder://${source}/plain.txt` }]);
  });

  it('of 6 GB is refused by its size, before a byte of it is read', async () => {
    const directory = folderOf('huge', { 'small.txt': text(42), 'huge.txt': '' });
    const huge = path.join(directory, 'huge.txt');
    truncateSync(huge, 6_000_000_000);
    utimesSync(huge, new Date(0), new Date(0));
    const source = await bench.connect(folderWish('huge', directory));
    const started = performance.now();
    expect(await bench.sync(source)).toMatchObject({ receipt: { read: 2, outcomes: { new: 1, refused: 1 } } });
    expect((await objectsOf(source)).find(({ key }) => key === 'huge.txt')).toMatchObject({
      error_code: 'file_too_large',
    });
    // Reading it would take a long while on any machine; this only guards against a hang.
    expect(performance.now() - started).toBeLessThan(120_000);
    const { rows } = await bench.db.admin.query(`select from engine.blobs where bytes > 1000000000`);
    expect(rows).toHaveLength(0);
  });

  it('that is changed while it is read is not taken half: it waits, and the next sync has it', async () => {
    await bench.put('moving/doc.txt', text(50));
    const source = await bench.connect(bench.wish('moving'));
    bench.bucket.fail({
      method: 'GET',
      url: /moving\/doc/,
      times: 1,
      act: { status: 412, code: 'PreconditionFailed' },
    });
    expect((await bench.sync(source)).receipt).toMatchObject({ read: 0, settling: 1 });
    expect(await bench.objects(source)).toEqual({ 'doc.txt': 'settling' });
    expect((await bench.sync(source)).receipt).toMatchObject({ read: 1, outcomes: { new: 1 }, settling: 0 });
  });

  it('of a folder that is changed after it was opened is not taken half either', async () => {
    const directory = folderOf('rewritten', { 'doc.txt': text(51) });
    const source = await bench.connect({ ...folderWish('rewritten', directory), settle_seconds: 0 });
    const undo = storeNext(bench.deps, (put) => async (...given) => {
      const stored = await put(...given);
      writeFileSync(path.join(directory, 'doc.txt'), text(52));
      return stored;
    });
    expect((await bench.sync(source)).receipt).toMatchObject({ read: 0, settling: 1 });
    undo();
    const { rows } = await bench.db.admin.query(
      `select from engine.runs where source_id = $1 and pipeline = 'documents'`,
      [source],
    );
    expect(rows).toEqual([]);
    expect((await bench.sync(source)).receipt).toMatchObject({ read: 1, outcomes: { new: 1 }, settling: 0 });
  });

  it('that finds the disk full waits with its sync, and is there when there is room again', async () => {
    await bench.put('full/doc.txt', text(51));
    const source = await bench.connect(bench.wish('full'));
    const restore = diskFullOnce();
    const done = await bench.sync(source);
    restore();
    expect(done).toMatchObject({ status: 'synced', receipt: { read: 1, outcomes: { new: 1 } } });
    expect(done.attempt).toBeGreaterThan(1);
  });
});

describe('what vanished', () => {
  it('is deactivated while no worker takes documents, and by an admin while no worker works at all', async () => {
    for (const n of [1, 2, 3, 4, 5, 6]) await bench.put(`idle/doc${n}.txt`, text(60 + n));
    await bench.put('idle/last.md', text(69));
    const source = await bench.connect(bench.wish('idle'));
    await bench.sync(source);
    const uri = (name: string) => `s3://${bench.bucket.bucket}/idle/${name}`;
    const stop = (pipeline: string) => api.call('pipelines.pause', { as: bench.admin, params: { pipeline }, body: {} });
    await stop('documents');
    await bench.remove('idle/doc1.txt');
    const started = await api.call('sources.sync', { as: bench.admin, params: { source_id: source } });
    const ended = await bench.ended(started.json().run_id);
    expect(ended).toMatchObject({ status: 'synced', receipt: { vanished: 1 } });
    expect(await bench.served()).not.toContain(uri('doc1.txt'));
    await stop('sources');
    const params = { source_id: source };
    const body = { include: ['*.txt'], out_of_scope: 'deactivate' };
    expect((await api.call('sources.update', { as: bench.admin, params, body })).statusCode).toBe(200);
    expect(await bench.served()).not.toContain(uri('last.md'));
    const { rows } = await bench.db.admin.query(
      `select count(*)::int as n from documents d join document_versions v using (tenant_id, doc_id)
       where d.source_uri like $1 and v.tenant_id = $2`,
      [`${uri('')}%`, bench.admin.tenantId],
    );
    // Nothing is deleted: every version is still there.
    expect(rows).toEqual([{ n: 7 }]);
    for (const pipeline of ['documents', 'sources'])
      await api.call('pipelines.resume', { as: bench.admin, params: { pipeline }, body: {} });
  });
});
