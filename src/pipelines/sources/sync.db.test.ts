// A source from the wish to what it brings, over HTTP and against a real S3 server.
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildTenant, buildUser } from '../../../test/support/api.ts';
import { prose } from '../../../test/support/documents.ts';
import { useSources } from '../../../test/support/use-sources.ts';
import { connectedSources } from './connected.ts';

const bench = useSources();
const { api } = bench;
const text = (seed: number) => prose(seed).join('\n\n');
const uri = (key: string) => `s3://${bench.bucket.bucket}/${key}`;

describe('a sync', () => {
  it('makes one run of each object, then nothing of what is unchanged, a new version of what changed, and takes away what vanished', async () => {
    for (const n of [1, 2, 3, 4, 5, 6]) await bench.put(`first/doc${n}.txt`, text(n));
    const source = await bench.connect(bench.wish('first'));
    const first = await bench.sync(source);
    expect(first).toMatchObject({ status: 'synced', receipt: { read: 6, outcomes: { new: 6 } } });

    const second = await bench.sync(source);
    expect(second).toMatchObject({ status: 'synced', receipt: { read: 6, outcomes: { unchanged: 6, new: 0 } } });

    await bench.put('first/doc2.txt', text(22));
    await bench.remove('first/doc3.txt');
    const third = await bench.sync(source);
    expect(third.receipt).toMatchObject({ read: 5, outcomes: { changed: 1, unchanged: 4 }, vanished: 1 });
    expect(await bench.objects(source)).toMatchObject({ 'doc2.txt': 'live', 'doc3.txt': 'deleted' });
    expect(await bench.served()).toEqual([1, 2, 4, 5, 6].map((n) => uri(`first/doc${n}.txt`)));

    const before = await bench.db.admin.query('select count(*)::int as n from document_versions');
    await bench.put('first/doc3.txt', text(3));
    const fourth = await bench.sync(source);
    expect(fourth.receipt).toMatchObject({ read: 6, outcomes: { new: 1, unchanged: 5 } });
    expect(await bench.served()).toContain(uri('first/doc3.txt'));
    // The old version was brought back; nothing was read or embedded again.
    expect((await bench.db.admin.query('select count(*)::int as n from document_versions')).rows).toEqual(before.rows);

    const verified = await api.call('runs.verify', { as: bench.admin, params: { run_id: third.id }, body: {} });
    expect(verified.json()).toMatchObject({ matches: true });
  });

  it('gives each run the source, the channel and the place of its object', async () => {
    await bench.put('facts/policy.txt', text(30));
    const source = await bench.connect(
      bench.wish('facts', { title_pattern: 'Contract {stem}', fields: { tags: 'legal' } }),
    );
    await bench.sync(source);
    const { rows } = await bench.db.admin.query(
      `select r.run_type, r.source_id, r.config ->> 'title' as title, d.source_uri, d.tags from ingestion_runs r
       join documents d on d.tenant_id = r.tenant_id and d.source_uri = $2
       where r.source_id::text = $1`,
      [source, uri('facts/policy.txt')],
    );
    expect(rows).toEqual([
      {
        run_type: 's3_sync',
        source_id: source,
        title: 'Contract policy',
        source_uri: uri('facts/policy.txt'),
        tags: ['legal'],
      },
    ]);
  });

  it('stays the source of a document whose page a person has changed', async () => {
    await bench.put('pages/guide.txt', text(35));
    const source = await bench.connect(bench.wish('pages'));
    await bench.sync(source);
    const { rows } = await bench.db.admin.query('select doc_id from documents where source_uri = $1', [
      uri('pages/guide.txt'),
    ]);
    const params = { doc_id: String(rows[0]?.doc_id), version: '1', page_no: '1' };
    const asked = await api.call('documents.page-retry', { as: bench.admin, params, body: { how: 'include' } });
    const runId = asked.json().run_id;
    const shown = await bench.db.admin.query('select run_type, source_id from ingestion_runs where run_id = $1', [
      runId,
    ]);
    expect(shown.rows).toEqual([{ run_type: 's3_sync', source_id: source }]);
  });

  it('refuses what cannot be taken, says why for each, asks again only when it changed, and takes the rest', async () => {
    await bench.put('bad/good.txt', text(40));
    await bench.put('bad/empty.txt', '');
    await bench.put('bad/program.exe', 'MZ');
    await bench.put('bad/shut.txt', text(41));
    bench.bucket.fail({ method: 'GET', url: /bad\/shut\.txt/, times: 3, act: { status: 403, code: 'AccessDenied' } });
    const source = await bench.connect(bench.wish('bad'));
    const first = await bench.sync(source);
    expect(first).toMatchObject({ status: 'partial', receipt: { read: 4, outcomes: { new: 1, refused: 3 } } });
    expect(await bench.objects(source)).toEqual({
      'good.txt': 'live',
      'empty.txt': 'refused',
      'program.exe': 'refused',
      'shut.txt': 'failed',
    });
    bench.bucket.heal();
    const from = bench.bucket.requests.length;
    const second = await bench.sync(source);
    // The right was given meanwhile; the others are refused as they were, without being read again.
    expect(second.receipt).toMatchObject({ read: 4, outcomes: { new: 1, unchanged: 1, refused: 2 } });
    const reads = bench.bucket.requests.slice(from).filter((line) => /^GET .*\/bad\//.test(line));
    expect(reads).toEqual([expect.stringContaining('/bad/shut.txt')]);
    // One that changed is judged again.
    await bench.put('bad/empty.txt', text(42));
    expect((await bench.sync(source)).receipt).toMatchObject({ outcomes: { new: 1, unchanged: 2, refused: 1 } });
  });

  it('holds and asks before more than a fifth is taken away, and does as it is told', async () => {
    for (const n of [1, 2, 3]) await bench.put(`mass/doc${n}.txt`, text(50 + n));
    const source = await bench.connect(bench.wish('mass'));
    await bench.sync(source);
    await bench.remove('mass/doc1.txt');
    await bench.remove('mass/doc2.txt');
    const held = await bench.sync(source);
    expect(held).toMatchObject({ phase: 'waiting', status: 'queued' });
    expect(held.held_at).not.toBeNull();
    expect(await bench.served()).toEqual(expect.arrayContaining([uri('mass/doc1.txt'), uri('mass/doc2.txt')]));
    // One comes back before anybody answers.
    await bench.put('mass/doc2.txt', text(52));
    const { data } = (await api.call('questions.list', { as: bench.admin })).json();
    const question = data.find((each: { run_id: string }) => each.run_id === held.id);
    const params = { question_id: question.question_id };
    const answered = await api.call('questions.answer', { as: bench.admin, params, body: { choice: 'deactivate' } });
    expect(answered.statusCode).toBeLessThan(300);
    const done = await bench.ended(held.id);
    expect(done).toMatchObject({ status: 'synced', receipt: { read: 1, outcomes: { unchanged: 1 }, vanished: 1 } });
    expect(await bench.objects(source)).toMatchObject({ 'doc1.txt': 'deleted', 'doc2.txt': 'live' });
    expect(await bench.served()).not.toContain(uri('mass/doc1.txt'));
  });

  it('takes nothing away when the listing breaks off, and goes on where it was', async () => {
    await bench.put('broken/doc1.txt', text(60));
    const source = await bench.connect(bench.wish('broken'));
    await bench.sync(source);
    bench.bucket.fail({ method: 'GET', url: /list-type/, times: 1_000, act: { status: 404, code: 'NoSuchBucket' } });
    const failed = await bench.sync(source);
    expect(failed).toMatchObject({ status: 'failed', error_code: 'source_place_gone' });
    bench.bucket.heal();
    expect(await bench.served()).toContain(uri('broken/doc1.txt'));
    const { rows } = await bench.db.admin.query(
      `select data from engine.events where run_id = $1 and type = 'source.failed'`,
      [failed.id],
    );
    expect(rows).toEqual([{ data: { source_id: source, error_code: 'source_place_gone' } }]);
    expect(await bench.sync(source)).toMatchObject({ status: 'synced' });
  });

  it('feeds ads with the fields of the source, and a changed file is a new upload', async () => {
    const file = (spend: string) =>
      ['Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Link clicks']
        .concat(
          Array.from(
            { length: 20 },
            (_, day) => `2026-03-${String(day + 1).padStart(2, '0')},Spring,120210000000000009,${spend},1000,10`,
          ),
        )
        .join('\n');
    await bench.put('ads/march.csv', file('12.50'));
    const source = await bench.connect(bench.wish('ads', { pipeline: 'ads', fields: { platform: 'meta' } }));
    await bench.sync(source);
    await bench.put('ads/march.csv', file('13.50'));
    expect((await bench.sync(source)).receipt).toMatchObject({ read: 1, outcomes: { changed: 1 } });
    const { rows } = await bench.db.admin.query(
      `select (select count(*)::int from engine.runs where source_id = $1 and pipeline = 'ads' and phase = 'done') as runs,
              (select sum(spend)::float from daily_metrics where workspace_id = $2) as spend`,
      [source, bench.admin.tenantId],
    );
    expect(rows).toEqual([{ runs: 2, spend: 270 }]);
    // The numbers are as old as the object, not as its arrival.
    const { data } = (await api.call('sources.objects', { as: bench.admin, params: { source_id: source } })).json();
    const { rows: told } = await bench.db.admin.query(
      `select input ->> 'reported_at' as at from engine.runs where id = $1`,
      [data[0].run_id],
    );
    expect(new Date(told[0].at).getTime()).toBe(Date.parse(data[0].modified_at));
  });

  it('refuses a batch of judgments whose content changed, unless the source says that it supersedes', async () => {
    const batch = (amount: number) =>
      `Case Number,Plaintiff,Judgment Amount,Filing Date,County\nA-1,Ann,${amount},2024-01-01,Kings\n`;
    const feeds = async (name: string, fields: object) => {
      await bench.put(`${name}/${name}.csv`, batch(10));
      const source = await bench.connect(bench.wish(name, { pipeline: 'judgments', fields }));
      expect((await bench.sync(source)).receipt).toMatchObject({ outcomes: { new: 1 } });
      await bench.put(`${name}/${name}.csv`, batch(11));
      const { receipt } = await bench.sync(source);
      const { data } = (await api.call('sources.objects', { as: bench.admin, params: { source_id: source } })).json();
      return { outcomes: receipt?.outcomes, status: data[0].status, code: data[0].error_code };
    };
    expect(await feeds('strict', {})).toMatchObject({
      outcomes: { refused: 1, changed: 0 },
      status: 'refused',
      code: 'batch_file_refused',
    });
    expect(await feeds('lenient', { supersede: 'true' })).toMatchObject({
      outcomes: { changed: 1 },
      status: 'live',
      code: null,
    });
    const once = bench.wish('once', { pipeline: 'judgments', fields: { source_batch_id: 'june' } });
    const refused = await api.call('sources.create', { as: bench.admin, body: once });
    expect(refused.json()).toMatchObject({
      code: 'source_settings_invalid',
      detail: expect.stringContaining('source_batch_id'),
    });
  });

  it('takes judgment files of one name in two directories as two batches, each with its own later content', async () => {
    const batch = (name: string, amount: number) =>
      `Case Number,Plaintiff,Judgment Amount,Filing Date,County\n${name}-1,Ann,${amount},2024-01-01,Kings\n`;
    for (const county of ['kings', 'queens']) await bench.put(`courts/${county}/jan.csv`, batch(county, 10));
    const fields = { supersede: 'true' };
    const source = await bench.connect(bench.wish('courts', { pipeline: 'judgments', fields }));
    expect((await bench.sync(source)).receipt).toMatchObject({ outcomes: { new: 2, refused: 0 } });
    await bench.put('courts/queens/jan.csv', batch('queens', 11));
    expect((await bench.sync(source)).receipt).toMatchObject({ outcomes: { changed: 1, unchanged: 1, refused: 0 } });
    const { rows } = await bench.db.admin.query<{ id: string; status: string }>(
      `select unique_key as id, status from engine.runs where source_id = $1 and pipeline = 'judgments' order by 1`,
      [source],
    );
    const place = `simplicity-${bench.bucket.bucket}/courts`;
    expect(rows).toEqual(
      [`${place}/kings/jan.csv`, `${place}/queens/jan.csv`, `${place}/queens/jan.csv#r2`].map((id) => ({
        id,
        status: 'completed',
      })),
    );
  });

  it('is one at a time: asking twice names the one that is there', async () => {
    await bench.put('twice/doc.txt', text(70));
    const source = await bench.connect(bench.wish('twice'));
    const ask = async () => (await api.call('sources.sync', { as: bench.admin, params: { source_id: source } })).json();
    let goOn = () => {};
    const until = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    bench.bucket.fail({ method: 'GET', url: /list-type.*twice/, times: 1, act: { until } });
    onTestFinished(() => bench.bucket.heal());
    const first = await ask();
    expect(first).toMatchObject({ created: true });
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(
      Array.from({ length: 3 }, () => ({ run_id: first.run_id, created: false })),
    );
    goOn();
    expect(await bench.ended(first.run_id)).toMatchObject({ status: 'synced', receipt: { outcomes: { new: 1 } } });
    const next = await ask();
    expect(next).toMatchObject({ created: true });
    expect(next.run_id).not.toBe(first.run_id);
    await bench.ended(next.run_id);
  });
});

describe('a source', () => {
  it('shows its first objects and what each would become before it is saved', async () => {
    await bench.put('look/a.pdf', '%PDF-1.4');
    await bench.put('look/b.exe', 'MZ');
    await bench.put('look/c.txt', 'c');
    const body = bench.wish('look', { exclude: ['*.txt'] });
    const { objects, address } = (await api.call('sources.preview', { as: bench.admin, body })).json();
    expect(address).toBe(`s3://${bench.bucket.bucket}/look/`);
    expect(objects.map(({ key, becomes }: { key: string; becomes: string }) => [key, becomes])).toEqual([
      ['look/a.pdf', 'taken'],
      ['look/b.exe', 'refused'],
      ['look/c.txt', 'outside'],
    ]);
  });

  it('never gives its credential back, in no answer and no row that can be read', async () => {
    const secret = 'very-secret-key-of-a-bucket';
    const credential = { access_key_id: 'AKIDEXAMPLE', secret_access_key: secret };
    const wish = bench.wish('sealed', { credential });
    const source = await bench.connect(wish);
    const about = { as: bench.admin, params: { source_id: source } };
    const shown = await api.call('sources.show', about);
    expect(shown.json().credential).toBe('keys');
    // Services repeat the key they do not know.
    const act = { status: 403, code: 'InvalidAccessKeyId', message: `${secret} of AKIDEXAMPLE is not known here` };
    bench.bucket.fail({ method: 'GET', url: /list-type/, times: 100, act });
    onTestFinished(() => bench.bucket.heal());
    const refused = await api.call('sources.preview', { as: bench.admin, body: wish });
    expect(refused.json()).toMatchObject({ code: 'source_denied' });
    const failed = await bench.sync(source);
    expect(failed).toMatchObject({ status: 'failed', error_code: 'source_denied' });
    bench.bucket.heal();
    const { rows } = await bench.db.admin.query('select * from ingestion_sources where source_id = $1', [source]);
    const { rows: events } = await bench.db.admin.query('select data from engine.events where run_id = $1', [
      failed.id,
    ]);
    for (const said of [
      shown.body,
      refused.body,
      (await api.call('sources.list', { as: bench.admin })).body,
      (await api.call('sources.update', { ...about, body: { credential, cron: '0 5 * * *' } })).body,
      (await api.call('sources.preview', { as: bench.admin, body: { ...wish, source_id: source } })).body,
      (await api.call('sources.objects', about)).body,
      (await api.call('sources.create', { as: bench.admin, body: wish })).body,
      JSON.stringify(failed),
      JSON.stringify(events),
      JSON.stringify(rows),
      rows[0].credential.toString('latin1'),
    ]) {
      expect(said).not.toContain(secret);
      expect(said).not.toContain('AKIDEXAMPLE');
    }
  });

  it('asks what becomes of what it brought when its scope is narrowed or it is removed', async () => {
    await bench.put('scope/a.txt', text(70));
    await bench.put('scope/b.md', text(71));
    const source = await bench.connect(bench.wish('scope'));
    await bench.sync(source);
    const params = { source_id: source };
    const narrowed = await api.call('sources.update', { as: bench.admin, params, body: { include: ['*.txt'] } });
    expect(narrowed.json()).toMatchObject({ status: 409, code: 'source_scope_narrowed' });
    const body = { include: ['*.txt'], out_of_scope: 'deactivate' };
    expect((await api.call('sources.update', { as: bench.admin, params, body })).statusCode).toBe(200);
    expect(await bench.served()).not.toContain(uri('scope/b.md'));
    expect((await bench.sync(source)).receipt).toMatchObject({ read: 1, outside: 1, vanished: 0 });
    expect((await api.call('sources.remove', { as: bench.admin, params })).json()).toMatchObject({
      code: 'source_removal_undecided',
    });
    expect((await api.call('sources.remove', { as: bench.admin, params, query: { objects: 'keep' } })).statusCode).toBe(
      204,
    );
    expect(await bench.served()).toContain(uri('scope/a.txt'));
  });

  it('that is removed takes away what it brought if its admin says so, and nothing of it syncs any more', async () => {
    for (const name of ['a.txt', 'b.txt']) await bench.put(`gone/${name}`, text(72));
    const source = await bench.connect(bench.wish('gone', { cron: '0 3 * * *' }));
    await bench.sync(source);
    const asked = { as: bench.admin, params: { source_id: source } };
    expect((await api.call('sources.remove', { ...asked, query: { objects: 'deactivate' } })).statusCode).toBe(204);
    expect((await bench.served()).filter((each) => each.startsWith(uri('gone/')))).toEqual([]);
    // Nothing is deleted: the versions and the syncs stay.
    const { rows } = await bench.db.admin.query(
      `select (select count(*)::int from documents d join document_versions v using (tenant_id, doc_id) where d.source_uri like $2) as versions,
              (select count(*)::int from engine.runs where source_id = $1 and pipeline = 'sources') as syncs,
              (select count(*)::int from engine.schedules where name = $3) as schedules`,
      [source, `${uri('gone/')}%`, `source:${source}`],
    );
    expect(rows).toEqual([{ versions: 2, syncs: 1, schedules: 0 }]);
    expect((await api.call('sources.sync', asked)).json()).toMatchObject({ code: 'source_not_found' });
  });

  it('is set up by admins only, and says what is wrong before anything is saved', async () => {
    const user = await buildUser(bench.db, bench.admin.tenantId, 'user');
    expect((await api.call('sources.create', { as: user, body: bench.wish('no') })).statusCode).toBe(403);
    const refusals: [object, string][] = [
      [{ pipeline: 'nothing' }, 'source_settings_invalid'],
      [{ place: { kind: 'folder', directory: '/etc' }, credential: null }, 'source_folder_refused'],
      [{ credential: { username: 'x', password: 'y' } }, 'source_settings_invalid'],
      [{ fields: { colour: 'red' } }, 'name_unknown'],
      [{ cron: 'every day' }, 'schedule_invalid'],
      [{ place: { kind: 's3', bucket: 'b', endpoint: 'http://169.254.169.254' } }, 'outbound_address_refused'],
    ];
    for (const [over, code] of refusals) {
      const answer = await api.call('sources.create', { as: bench.admin, body: bench.wish('wrong', over) });
      expect([answer.statusCode >= 400, answer.json().code]).toEqual([true, code]);
    }
    // A command without MILLRACE_URL does not use the server: its own environment counts.
    const shut = bench.wish('wrong', { place: { kind: 'folder', directory: '/etc' }, credential: null });
    expect((await api.call('sources.create', { as: bench.admin, body: shut })).json().next).toMatch(
      /SOURCE_FOLDER_ROOTS of the server.* without MILLRACE_URL .*environment of the command/,
    );
    const { rows } = await bench.db.admin.query(`select from ingestion_sources where name = 'wrong'`);
    expect(rows).toHaveLength(0);
  });

  it('holds what an admin took away against the next sync', async () => {
    await bench.put('tomb/doc.txt', text(80));
    const source = await bench.connect(bench.wish('tomb'));
    await bench.sync(source);
    const { rows } = await bench.db.admin.query('select doc_id from documents where source_uri = $1', [
      uri('tomb/doc.txt'),
    ]);
    await api.call('documents.deactivate', { as: bench.admin, params: { doc_id: rows[0].doc_id }, body: {} });
    await bench.put('tomb/doc.txt', text(81));
    const again = await bench.sync(source);
    expect(again.receipt).toMatchObject({ read: 1, outcomes: { refused: 1 } });
    expect(await bench.served()).not.toContain(uri('tomb/doc.txt'));
  });
});

describe('what sources offer to other pipelines', () => {
  const signal = new AbortController().signal;
  const sniff = () => ({ format: 'txt', mediaType: 'text/plain' });

  it('an object by its key, of its own tenant and inside the scope only, with an identity that stays', async () => {
    await bench.put('offer/rows.csv', 'a,b\n1,2\n');
    await bench.put('offer/secret.key', 'x');
    const sourceId = await bench.connect(bench.wish('offer', { exclude: ['*.key'] }));
    const { fetch } = connectedSources(bench.deps);
    const wanted = { tenantId: bench.admin.tenantId, sourceId, sniff, signal };
    const [first, again] = [
      await fetch({ ...wanted, key: 'offer/rows.csv' }),
      await fetch({ ...wanted, key: 'offer/rows.csv' }),
    ];
    expect(first).toMatchObject({ origin: { uri: uri('offer/rows.csv'), kind: 's3' }, file: { bytes: 8 } });
    expect(again.uniqueKey).toBe(first.uniqueKey);
    await expect(fetch({ ...wanted, key: 'offer/secret.key' })).rejects.toMatchObject({ code: 'source_object_denied' });
    await expect(fetch({ ...wanted, key: 'first/doc1.txt' })).rejects.toMatchObject({ code: 'source_object_denied' });
    await expect(fetch({ ...wanted, key: 'offer/none.csv' })).rejects.toMatchObject({ code: 'source_object_gone' });
    const other = await buildTenant(bench.db);
    await expect(fetch({ ...wanted, tenantId: other, key: 'offer/rows.csv' })).rejects.toMatchObject({
      code: 'source_not_found',
    });
  });

  it('syncing all that feed a pipeline, once each', async () => {
    const { scan } = connectedSources(bench.deps);
    const mine = await bench.connect(bench.wish('scan', { pipeline: 'ads' }));
    const started = await scan({ tenantId: bench.admin.tenantId, pipeline: 'ads' });
    expect(started.map(({ sourceId }) => sourceId)).toContain(mine);
    for (const { runId } of started) expect(await bench.ended(runId)).toMatchObject({ phase: 'done' });
    await expect(scan({ tenantId: bench.admin.tenantId, pipeline: 'documents', sourceId: mine })).rejects.toMatchObject(
      {
        code: 'source_settings_invalid',
      },
    );
  });
});
