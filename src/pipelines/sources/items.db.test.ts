// Items from connected sources: jobs by reference, and scans. What a source brings belongs to who connected it.
import { beforeAll, describe, expect, it } from 'vitest';
import { buildUser, type TestUser } from '../../../test/support/api.ts';
import { useSources } from '../../../test/support/use-sources.ts';

const bench = useSources();
const rows = (sku: string) => `SKU,Title\n${sku},Kettle\n${sku}-2,Unknown thing\n`;
let user: TestUser;
let colleague: TestUser;

beforeAll(async () => {
  user = await buildUser(bench.db, bench.admin.tenantId, 'user');
  colleague = await buildUser(bench.db, bench.admin.tenantId, 'admin');
});

function itemsWish(name: string, more: object = {}) {
  return bench.wish(name, { pipeline: 'items', fields: { catalog: 'sample' }, ...more });
}

async function jobsOf(sourceId: string): Promise<{ id: string; created_by: string | null; jobs: number }[]> {
  const { rows: found } = await bench.db.admin.query(
    `select r.id, r.created_by, (select count(*)::int from item_jobs j where j.job_id = r.id) as jobs
     from engine.runs r where r.source_id = $1 and r.pipeline = 'items' order by r.id`,
    [sourceId],
  );
  return found;
}

describe('POST /api/jobs that names an object of a source', () => {
  let sourceId: string;
  const refer = (as: TestUser, body: object, headers = {}) => bench.api.call('jobs.create', { as, body, headers });

  beforeAll(async () => {
    await bench.put('refer/rows.csv', rows('A-1'));
    await bench.put('refer/hidden.key', 'x');
    // Connected for documents: any object of a source may be named, whatever the source feeds.
    sourceId = await bench.connect(bench.wish('refer', { exclude: ['*.key'] }));
  });

  it('makes a job of its rows, which belongs to who asked', async () => {
    const answer = await refer(colleague, { source_id: sourceId, key: 'refer/rows.csv', catalog: 'sample' });
    expect([answer.statusCode, answer.body]).toEqual([202, expect.stringContaining('jobId')]);
    const { jobId } = answer.json();
    expect(await bench.ended(jobId)).toMatchObject({
      phase: 'done',
      receipt: { read: 2 },
      created_by: colleague.userId,
    });
    const job = await bench.api.call('jobs.show', { as: bench.admin, params: { job_id: jobId } });
    expect(job.json()).toMatchObject({ file_name: 'rows.csv', total_items: 2, queue_state: 'DONE' });
  });

  it('makes one job when it is repeated under one key, and another one when it is asked for again', async () => {
    const body = { source_id: sourceId, key: 'refer/rows.csv', catalog: 'sample' };
    const once = { 'idempotency-key': 'refer-once' };
    const [first, repeated, again] = [
      (await refer(bench.admin, body, once)).json(),
      (await refer(bench.admin, body, once)).json(),
      (await refer(bench.admin, body)).json(),
    ];
    expect(repeated.jobId).toBe(first.jobId);
    expect(again.jobId).not.toBe(first.jobId);
  });

  it.each([
    ['a key that is not there', { key: 'refer/none.csv' }, 409, 'source_object_gone'],
    ['a key that the source leaves out', { key: 'refer/hidden.key' }, 422, 'source_object_denied'],
    ['a key outside the source', { key: 'other/rows.csv' }, 422, 'source_object_denied'],
    ['no key', {}, 400, 'request_invalid'],
    ['a field that is none', { key: 'refer/rows.csv', colour: 'red' }, 400, 'request_invalid'],
    ['a processor that is not there', { key: 'refer/rows.csv', processor: 'none' }, 422, 'processor_unknown'],
  ])('refuses %s, and keeps no bytes', async (_, body, status, code) => {
    const before = await blobs();
    const answer = await refer(bench.admin, { source_id: sourceId, ...body });
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
    expect(await blobs()).toBe(before);
  });

  it('knows no source to a user who did not connect it, nor to another tenant', async () => {
    const body = { source_id: sourceId, key: 'refer/rows.csv', catalog: 'sample' };
    const stranger = await buildUser(bench.db, await bench.otherTenant(), 'admin');
    for (const as of [user, stranger]) {
      const answer = await refer(as, body);
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'source_not_found']);
    }
  });
});

describe('POST /api/ingestion/scan', () => {
  const scan = (as: TestUser, body: object = {}) => bench.api.call('ingestion.scan', { as, body });

  it('syncs the sources of items: each object becomes one job, which belongs to who connected the source', async () => {
    for (const name of ['a', 'b']) await bench.put(`scan/${name}.csv`, rows(name));
    const sourceId = await bench.connect(itemsWish('scan'));
    const answer = await scan(colleague);
    expect(answer.statusCode).toBe(202);
    const mine = answer.json().scans.find((each: { source_id: string }) => each.source_id === sourceId);
    expect(mine).toMatchObject({ name: 'scan', created: true });
    expect(await bench.ended(mine.run_id)).toMatchObject({ status: 'synced', receipt: { outcomes: { new: 2 } } });
    await bench.quiet(sourceId);
    const jobs = await jobsOf(sourceId);
    for (const { id } of jobs) expect(await bench.ended(id)).toMatchObject({ phase: 'done', receipt: { read: 2 } });
    expect(jobs).toEqual([1, 2].map(() => expect.objectContaining({ created_by: bench.admin.userId, jobs: 1 })));
    const params = { job_id: jobs[0]?.id ?? '' };
    expect((await bench.api.call('jobs.show', { as: user, params })).statusCode).toBe(404);
    expect((await bench.api.call('jobs.show', { as: bench.admin, params })).statusCode).toBe(200);
  });

  it('makes no second job of an object whose first sync was lost before it was written down', async () => {
    await bench.put('lost/a.csv', rows('L-1'));
    const sourceId = await bench.connect(itemsWish('lost'));
    await bench.sync(sourceId);
    const before = await jobsOf(sourceId);
    await bench.db.admin.query('delete from source_objects where source_id = $1', [sourceId]);
    const kept = await blobs();
    await bench.sync(sourceId);
    expect(await jobsOf(sourceId)).toEqual(before);
    expect(before).toHaveLength(1);
    expect(await blobs()).toBe(kept);
  });

  it('syncs the one that is named; says why it cannot', async () => {
    const paused = await bench.connect(itemsWish('paused', { paused: true }));
    const documents = await bench.connect(bench.wish('docs'));
    const refusals = [
      [bench.admin, paused, 409, 'source_paused'],
      [bench.admin, documents, 422, 'source_settings_invalid'],
      [user, paused, 403, 'forbidden'],
    ] as const;
    for (const [as, source_id, status, code] of refusals) {
      const answer = await scan(as, { source_id });
      expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
    }
    const all = (await scan(bench.admin)).json().scans.map((each: { source_id: string }) => each.source_id);
    expect(all).not.toContain(paused);
    expect(all).not.toContain(documents);
  });
});

async function blobs(): Promise<number> {
  const { rows: found } = await bench.db.admin.query<{ n: number }>(
    'select count(*)::int as n from engine.blobs where deleted_at is null',
  );
  return found[0]?.n ?? 0;
}
