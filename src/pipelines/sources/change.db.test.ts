// A source that is changed: which server it trusts, what becomes of objects that no longer belong to it, and what is judged again by the new settings.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prose } from '../../../test/support/documents.ts';
import { type SftpServer, startSftpServer } from '../../../test/support/sftp-server.ts';
import { useSources } from '../../../test/support/use-sources.ts';
import { waitFor } from '../../../test/support/wait-for.ts';

const bench = useSources();
const { api } = bench;
const text = (seed: number) => prose(seed).join('\n\n');
const uri = (key: string) => `s3://${bench.bucket.bucket}/${key}`;
const update = (sourceId: string, body: object) =>
  api.call('sources.update', { as: bench.admin, params: { source_id: sourceId }, body });
const show = async (sourceId: string) =>
  (await api.call('sources.show', { as: bench.admin, params: { source_id: sourceId } })).json();
const test = (body: object) => api.call('sources.preview', { as: bench.admin, body });
const keyIn = (detail: string) => /SHA256:[A-Za-z0-9+/]{43}/.exec(detail)?.[0];

function folderWith(name: string, content: string): string {
  const directory = path.join(bench.folder, name);
  mkdirSync(directory);
  const file = path.join(directory, 'doc.txt');
  writeFileSync(file, content);
  utimesSync(file, new Date(), new Date(Date.now() - 3_600_000));
  return directory;
}

async function sftpAt(directory: string, port?: number): Promise<SftpServer> {
  const server = await startSftpServer(directory, port);
  onTestFinished(() => server.close());
  return server;
}

const placeOf = ({ port }: SftpServer, more: object = {}) => ({ kind: 'sftp', host: '127.0.0.1', port, ...more });

async function connectTo(name: string, server: SftpServer): Promise<string> {
  return bench.connect({ name, pipeline: 'documents', place: placeOf(server), credential: server.credential });
}

describe('a change of an SFTP source', () => {
  it('that leaves the host key out keeps the pinned one: a server with another key is told nothing until somebody accepts that key', async () => {
    const directory = folderWith('repinned', text(1));
    const first = await startSftpServer(directory);
    const source = await connectTo('repinned', first);
    const { host_key: pinned } = (await show(source)).place;
    await first.close();
    const second = await sftpAt(directory, first.port);

    const place = placeOf(second, { directory: './' });
    for (const attempt of [
      () => update(source, { place }),
      () => update(source, { prefix: 'doc' }),
      () => update(source, { credential: second.credential }),
      () => test({ source_id: source, place: placeOf(second) }),
    ])
      expect((await attempt()).json()).toMatchObject({ status: 422, code: 'source_host_key_changed' });
    expect(second.signIns).toEqual([]);
    expect((await show(source)).place).toMatchObject({ host_key: pinned, directory: '.' });

    const shown = keyIn((await update(source, { place })).json().detail);
    expect(shown).not.toBe(pinned);
    expect((await update(source, { place: { ...place, host_key: shown } })).statusCode).toBe(200);
    expect((await show(source)).place).toMatchObject({ host_key: shown });
    // Other settings leave it as it is.
    expect((await update(source, { cron: '0 5 * * *' })).json().place).toMatchObject({ host_key: shown });
    expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { outcomes: { new: 1 } } });
  });

  it('to another server needs the key that a test of it shows and a password of its own, and asks what becomes of the former objects', async () => {
    const old = await sftpAt(folderWith('moved-from', text(2)));
    const next = await sftpAt(folderWith('moved-to', text(3)));
    const source = await connectTo('moved', old);
    await bench.sync(source);
    const { credential } = next;
    const place = placeOf(next);

    for (const answer of [await update(source, { place }), await test({ source_id: source, place })])
      expect(answer.json()).toMatchObject({ status: 422, code: expect.stringMatching(/source_(settings|host_key)/) });
    expect((await update(source, { place: { ...place, host_key: `SHA256:${'A'.repeat(43)}` } })).json()).toMatchObject({
      code: 'source_settings_invalid',
      detail: expect.stringContaining('password'),
    });
    expect((await update(source, { place, credential })).json()).toMatchObject({ code: 'source_host_key_unconfirmed' });
    expect(next.signIns).toEqual([]);

    const tested = (await test({ source_id: source, place, credential })).json();
    expect(tested).toMatchObject({ host_key: expect.stringMatching(/^SHA256:/), objects: [{ key: 'doc.txt' }] });
    const body = { place: { ...place, host_key: tested.host_key }, credential };
    expect((await update(source, body)).json()).toMatchObject({ code: 'source_scope_narrowed' });
    expect((await show(source)).place.port).toBe(old.port);
    expect((await update(source, { ...body, out_of_scope: 'deactivate' })).statusCode).toBe(200);
    expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 1, outcomes: { new: 1 } } });
    const served = (await bench.served()).filter((each) => each.startsWith('sftp:'));
    expect(served).toContain(`sftp://127.0.0.1:${next.port}/doc.txt`);
    expect(served).not.toContain(`sftp://127.0.0.1:${old.port}/doc.txt`);
  });
});

describe('what an object brought', () => {
  const ten = async (name: string) => {
    for (let n = 0; n < 10; n += 1) await bench.put(`${name}/doc${n}.txt`, text(10 + n));
    const source = await bench.connect(bench.wish(name));
    await bench.sync(source);
    await bench.put(`${name}/doc0.txt`, '');
    expect(await bench.sync(source)).toMatchObject({ receipt: { outcomes: { unchanged: 9, refused: 1 } } });
    // What it said before is still served.
    expect(await bench.served()).toContain(uri(`${name}/doc0.txt`));
    return source;
  };

  it('is taken away when the object vanishes, also if its last content was refused', async () => {
    const source = await ten('spoilt');
    await bench.remove('spoilt/doc0.txt');
    expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 9, vanished: 1 } });
    expect(await bench.served()).not.toContain(uri('spoilt/doc0.txt'));
  });

  it('is asked about and taken away when the object no longer belongs, also if its last content was refused', async () => {
    const source = await ten('outgrown');
    expect((await update(source, { exclude: ['doc0.txt'] })).json()).toMatchObject({
      code: 'source_scope_narrowed',
      detail: expect.stringMatching(/^1 /),
    });
    expect((await update(source, { exclude: ['doc0.txt'], out_of_scope: 'deactivate' })).statusCode).toBe(200);
    expect(await bench.served()).not.toContain(uri('outgrown/doc0.txt'));
    expect(await show(source)).toMatchObject({ objects: { live: 9, refused: 0, deleted: 1 } });
  });

  it('is kept as the admin said, even if the source was changed by a process that was killed before it ended the objects', async () => {
    for (const key of ['in/a.txt', 'in/b.txt', 'in/c.txt', 'in/d.txt', 'in/e.txt', 'out.txt'])
      await bench.put(`halved/${key}`, text(30 + key.length));
    const source = await bench.connect(bench.wish('halved'));
    await bench.sync(source);
    await bench.db.admin.query(`update ingestion_sources set prefix = 'halved/in/' where source_id = $1`, [source]);
    expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 5, vanished: 0 } });
    expect(await bench.served()).toContain(uri('halved/out.txt'));
    // The admin, who got no answer, says it again.
    const again = { prefix: 'halved/in/', out_of_scope: 'deactivate' };
    expect((await update(source, again)).json()).toMatchObject({ objects: { live: 5, deleted: 1 } });
    expect(await bench.served()).not.toContain(uri('halved/out.txt'));
  });
});

describe('objects of a source', () => {
  it('that were refused are judged by the new settings at the next sync, without being changed', async () => {
    await bench.put('larger/doc.txt', text(40));
    const source = await bench.connect(bench.wish('larger', { max_bytes: 10 }));
    expect(await bench.sync(source)).toMatchObject({ receipt: { outcomes: { refused: 1 } } });
    await update(source, { cron: '0 5 * * *' });
    expect(await bench.objects(source)).toEqual({ 'doc.txt': 'refused' });
    await update(source, { max_bytes: null });
    expect(await bench.sync(source)).toMatchObject({ receipt: { outcomes: { new: 1, refused: 0 } } });
  });

  it('that were refused are no longer counted once patterns leave them out, which asks nothing', async () => {
    await bench.put('tidy/doc.txt', text(41));
    await bench.put('tidy/setup.exe', 'MZ');
    const source = await bench.connect(bench.wish('tidy'));
    expect(await bench.sync(source)).toMatchObject({ receipt: { outcomes: { new: 1, refused: 1 } } });
    expect((await update(source, { include: ['*.txt'] })).json()).toMatchObject({ objects: { live: 1, refused: 0 } });
    expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 1, outside: 1 } });
    expect(await bench.served()).toContain(uri('tidy/doc.txt'));
  });

  it('are not narrowed under a sync at work, which goes by the settings it began with', async () => {
    for (const n of [1, 2]) await bench.put(`working/doc${n}.txt`, text(50 + n));
    const source = await bench.connect(bench.wish('working'));
    await bench.sync(source);
    await bench.remove('working/doc1.txt');
    const held = await bench.sync(source);
    expect(held.held_at).not.toBeNull();
    const body = { exclude: ['doc2.txt'], out_of_scope: 'deactivate' };
    expect((await update(source, body)).json()).toMatchObject({ status: 409, code: 'source_busy' });
    await api.call('runs.cancel', { as: bench.admin, params: { run_id: held.id }, body: {} });
    expect((await update(source, body)).statusCode).toBe(200);
    expect(await bench.served()).not.toContain(uri('working/doc2.txt'));
  });

  it('are not narrowed under a sync that began after the change was judged and before it was saved', async () => {
    for (const n of [1, 2]) await bench.put(`between/doc${n}.txt`, text(53 + n));
    const source = await bench.connect(bench.wish('between'));
    await bench.sync(source);
    const holder = await bench.db.admin.connect();
    await holder.query('begin');
    await holder.query(`select from ingestion_sources where source_id = $1 for update`, [source]);
    const waiters = (least: number) =>
      waitFor(
        async () => {
          const { rows } = await bench.db.admin.query<{ n: number }>(
            `select count(*)::int as n from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock' and query ~ 'ingestion_sources'`,
          );
          return (rows[0]?.n ?? 0) >= least ? true : undefined;
        },
        { what: `${least} statements to wait for the source` },
      );
    const saved = update(source, { exclude: ['doc2.txt'], out_of_scope: 'deactivate' });
    await waiters(1);
    const started = await api.call('sources.sync', { as: bench.admin, params: { source_id: source } });
    await waiters(2);
    await holder.query('commit');
    holder.release();
    expect((await saved).json()).toMatchObject({ status: 409, code: 'source_busy' });
    expect(await bench.ended(started.json().run_id)).toMatchObject({
      status: 'synced',
      receipt: { read: 2, outside: 0 },
    });
    expect(await show(source)).toMatchObject({ exclude: [], objects: { live: 2, deleted: 0 } });
    expect(await bench.served()).toContain(uri('between/doc2.txt'));
  });

  it('are all taken again when the source feeds another pipeline, once its admin has said what becomes of what they brought', async () => {
    await bench.put('switched/rows.csv', 'SKU,Title\nA-1,Kettle\n');
    const source = await bench.connect(bench.wish('switched', { pipeline: 'ads', fields: { platform: 'meta' } }));
    await bench.sync(source);
    const body = { pipeline: 'items', fields: { catalog: 'sample' } };
    expect((await update(source, body)).json()).toMatchObject({ code: 'source_scope_narrowed' });
    expect((await update(source, { ...body, out_of_scope: 'keep' })).statusCode).toBe(200);
    expect(await bench.sync(source)).toMatchObject({ receipt: { outcomes: { new: 1 } } });
    const { rows } = await bench.db.admin.query(
      `select pipeline from engine.runs where source_id = $1 and pipeline <> 'sources' order by pipeline`,
      [source],
    );
    expect(rows).toEqual([{ pipeline: 'ads' }, { pipeline: 'items' }]);
  });
});
