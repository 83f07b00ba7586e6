// The change from one embedding model to another while documents come in and questions are asked: over HTTP, with a second model of
// other dimensions behind a service that can be silent or down.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser } from '../../../../test/support/api.ts';
import { useDocuments } from '../../../../test/support/documents.ts';
import { hashEmbedder } from '../../../../test/support/documents-deps.ts';
import { startFakeEmbeddings } from '../../../../test/support/fake-embeddings.ts';
import { OTHER_MODEL, otherModel } from '../../../../test/support/other-model.ts';
import { compiledProgram } from '../../../../test/support/programs.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import type { AnswerOf } from '../../../contract/api/client.ts';
import { silentLog } from '../../../platform/log.ts';
import { documentSettings } from '../settings.ts';
import { buildPart, buildServices } from './build-vectors.ts';

type Model = AnswerOf<'models.list'>['data'][number];

const STANDARD = 'hash@1';
const PART = 3;
const service = await startFakeEmbeddings(24);
const other = otherModel(service.url);
const third = hashEmbedder('third@1');
const bench = useDocuments({ otherEmbedders: [other, third], passagesPerPart: PART, buildShare: 100 });
const { api, db } = bench;
let admin: TestUser;

beforeEach(async () => {
  Object.assign(service, { texts: [], answered: 0, held: 0, holdFrom: Number.POSITIVE_INFINITY, isDown: false });
  admin = await buildUser(db, await buildTenant(db, `Tenant ${Math.random()}`), 'admin');
});
afterAll(() => service.close());

const words = (mark: string, count = 400) =>
  Array.from(
    { length: count / 10 },
    (_, at) => `The ${mark} mill keeps gate number ${at} shut in year ${at * 7}.`,
  ).join(' ');
const ingest = (mark: string, count?: number) =>
  bench.ingest(`# ${mark}\n\n${words(mark, count)}`, `${mark}.md`, { as: admin, fields: { title: mark } });
const models = async (): Promise<Model[]> => (await api.call('models.list', { as: admin })).json().data;
const model = async (id = OTHER_MODEL) => (await models()).find((each) => each.model_id === id);
const change = (what: 'add' | 'activate' | 'retire', id = OTHER_MODEL) =>
  api.call(`models.${what}`, { as: admin, body: { model_id: id } });
const part = () => buildPart({ pool: bench.engine.pools.control, deps: bench.deps, log: silentLog }, other);
async function build(): Promise<void> {
  while ((await part()) !== undefined);
}
/** Passages that are served, and vectors of a model that they have. */
const covered = async (id: string) => {
  const { rows } = await db.admin.query(
    `select count(*) as passages, count(e.*) as vectors, count(distinct length(e.embedding)) as sizes
     from chunk_passages p
     join document_versions v on v.tenant_id = p.tenant_id and v.doc_version_id = p.doc_version_id and v.is_active
     left join chunk_embeddings e on e.tenant_id = p.tenant_id and e.chunk_id = p.chunk_id and e.passage_no = p.passage_no and e.model_id = $2
     where p.tenant_id = $1`,
    [admin.tenantId, id],
  );
  return rows[0] as { passages: number; vectors: number; sizes: number };
};

describe('a change of the embedding model', () => {
  it('survives a killed build, gives documents ingested meanwhile both vectors, is activated whole, and is taken back by one call', async () => {
    for (const mark of ['amber', 'birch', 'cedar']) await ingest(mark);
    expect((await models()).map(({ model_id: id, state }) => [id, state])).toEqual([
      [STANDARD, 'active'],
      [OTHER_MODEL, 'available'],
      ['third@1', 'available'],
    ]);
    expect((await change('add')).statusCode).toBe(201);
    const early = await change('activate');
    expect(early.json()).toMatchObject({ code: 'model_not_ready' });
    expect(early.json().detail).toMatch(/(\d+) of \1 passages have no vector/);

    // Killed while the service owes it an answer to its third part.
    service.holdFrom = 2;
    const orders = { url: db.appUrl, service: service.url, passagesPerPart: PART };
    const child = fork(compiledProgram('test/support/model-build-worker.ts'), [JSON.stringify(orders)], {
      execArgv: [],
      stdio: 'ignore',
    });
    await waitFor(() => service.held > 0, { what: 'the third part to be asked for' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    service.holdFrom = Number.POSITIVE_INFINITY;
    const finished = service.texts.length;
    expect(finished).toBeGreaterThan(0);
    expect(await model()).toMatchObject({ state: 'building', build: { is_running: true, passages: finished } });

    const meanwhile = await ingest('dogwood');
    expect(meanwhile.run).toMatchObject({ status: 'succeeded' });
    const own = `doc_version_id in (select doc_version_id from document_versions where doc_id = '${meanwhile.docId}')`;
    const vectors = await bench.count('chunk_embeddings', `${own} and model_id = '${STANDARD}'`);
    expect(vectors).toBeGreaterThan(0);
    expect(await bench.count('chunk_embeddings', `${own} and model_id = '${OTHER_MODEL}'`)).toBe(vectors);

    const before = service.texts.length;
    await build();
    const done = await model();
    const all = await covered(OTHER_MODEL);
    expect(all).toMatchObject({ vectors: all.passages, sizes: 1 });
    expect(done).toMatchObject({ state: 'ready', served: all.passages, vectors: all.passages });
    const { passages, embedded, reused } = done?.build ?? { passages: 0, embedded: 1, reused: 1 };
    expect(passages).toBe(embedded + reused);
    // What the ingested document brought itself was not the build's.
    expect(passages).toBe(all.passages - vectors);
    // Nothing that the killed process had finished is embedded again.
    expect(service.texts.length - before).toBe(passages - finished);
    expect(new Set(service.texts).size).toBe(service.texts.length);

    // A question is asked with the active model, compared with the other before the change, and asked with that one after it.
    const ask = async () =>
      (await api.call('search.run', { as: admin, body: { query: 'cedar mill gate' } })).json().why.model;
    expect(await ask()).toBe(STANDARD);
    await api.call('search.ask', { as: admin, body: { question: 'Which gate does the birch mill keep shut?' } });
    const compared = await api.call('models.compare', {
      as: admin,
      body: { model_id: OTHER_MODEL, questions: ['amber gate'] },
    });
    expect(compared.json()).toMatchObject({
      model_id: OTHER_MODEL,
      against: STANDARD,
      by_kind: [
        { kind: 'asked', questions: 1 },
        { kind: 'given', questions: 1 },
        { kind: 'probe', questions: expect.any(Number) },
      ],
    });
    expect(compared.json().probes.count).toBeGreaterThan(0);
    const same = await api.call('models.compare', { as: admin, body: { model_id: STANDARD } });
    expect(same.json()).toMatchObject({ overlap_at_10: 1, disagreements: [] });
    expect((await change('activate')).json()).toMatchObject({ model_id: OTHER_MODEL, state: 'active' });
    expect(await ask()).toBe(OTHER_MODEL);
    expect(await model(STANDARD)).toMatchObject({ state: 'ready', is_previous: true });
    const later = await ingest('elder');
    expect(later.run.receipt).toMatchObject({ embedded: expect.any(Number) });
    for (const id of [STANDARD, OTHER_MODEL]) {
      const { passages: served, vectors: has } = await covered(id);
      expect([id, has]).toEqual([id, served]);
    }
    const back = await api.call('models.rollback', { as: admin, body: {} });
    expect(back.json()).toMatchObject({ model_id: STANDARD, state: 'active' });
    expect((await api.call('models.rollback', { as: admin, body: {} })).json()).toMatchObject({
      model_id: OTHER_MODEL,
    });
  });

  it('is built by the services of the installation, whoever asked for it', async () => {
    await ingest('fir');
    await change('add', 'third@1');
    const services = buildServices(bench.engine, bench.deps, silentLog);
    for (const each of services) each.start();
    try {
      await waitFor(async () => (await model('third@1'))?.state === 'ready', { what: 'the build to be done' });
      await change('retire', 'third@1');
      for (const each of services) each.wake();
      await waitFor(async () => (await model('third@1'))?.vectors === 0, { what: 'the vectors to be taken away' });
      await waitFor(
        async () =>
          (await bench.count('vector_ledger', `tenant_id = '${admin.tenantId}' and model_id = 'third@1'`)) === 0,
        { what: 'the ledger to be emptied' },
      );
    } finally {
      await Promise.all(services.map((each) => each.stop()));
    }
    expect(await covered(STANDARD)).toMatchObject({ sizes: 1 });
  });

  it('waits while the provider is down, says why, holds up no document, and goes on by itself', async () => {
    await ingest('gorse');
    await change('add');
    service.isDown = true;
    await build();
    const stuck = await model();
    expect(stuck).toMatchObject({ state: 'building', vectors: 0, build: { passages: 0 } });
    expect(stuck?.build?.trouble).toContain('HTTP 503');
    expect((await change('activate')).json().detail).toContain('HTTP 503');
    const { run } = await ingest('hazel');
    expect(run).toMatchObject({ status: 'succeeded' });
    service.isDown = false;
    await db.admin.query(`update embedding_models set next_try_at = null where model_id = $1`, [OTHER_MODEL]);
    await build();
    expect(await model()).toMatchObject({ state: 'ready', build: { trouble: null } });
    const { passages, vectors } = await covered(OTHER_MODEL);
    expect(vectors).toBe(passages);
  });

  it('built by two processes at once counts and embeds no passage twice', async () => {
    await ingest('ivy', 900);
    await change('add');
    const builder = async () => {
      for (;;) {
        // The one that lost a part waits for its next try; that is not what is asked here.
        await db.admin.query(`update embedding_models set next_try_at = null where tenant_id = $1`, [admin.tenantId]);
        if ((await part()) === undefined) return;
      }
    };
    await Promise.all([builder(), builder(), builder()]);
    await builder();
    const { passages, vectors } = await covered(OTHER_MODEL);
    expect(vectors).toBe(passages);
    expect(await model()).toMatchObject({ state: 'ready', build: { passages } });
  });

  it('embeds with the title a version was embedded with, however the document is called now', async () => {
    const { docId } = await ingest('juniper');
    await api.call('documents.update', { as: admin, params: { doc_id: docId }, body: { title: 'Renamed' } });
    await change('add');
    await build();
    expect(service.texts.length).toBeGreaterThan(0);
    expect(service.texts.filter((text) => !text.startsWith('juniper'))).toEqual([]);
  });

  it('takes in a version that is served again, and takes away nothing of what is not', async () => {
    const { docId } = await ingest('kelp');
    const params = { doc_id: docId };
    await api.call('documents.deactivate', { as: admin, params, body: {} });
    await change('add');
    await build();
    expect(await model()).toMatchObject({ state: 'ready', served: 0, vectors: 0 });
    await api.call('documents.reactivate', { as: admin, params, body: {} });
    expect(await model()).toMatchObject({ state: 'ready', vectors: 0, build: { is_running: true } });
    expect((await change('activate')).json()).toMatchObject({ code: 'model_not_ready' });
    await build();
    const { passages, vectors } = await covered(OTHER_MODEL);
    expect(vectors).toBe(passages);
    expect((await change('activate')).statusCode).toBe(200);
  });

  it('whose model the settings do not name any more stops no document, and the standard model is built for what is there', async () => {
    await ingest('larch');
    await db.admin.query(`update embedding_models set model_id = 'gone@http-9' where tenant_id = $1`, [admin.tenantId]);
    const { run } = await ingest('maple');
    expect(run).toMatchObject({ status: 'succeeded' });
    expect(await model('gone@http-9')).toMatchObject({ state: 'active', is_configured: false });
    expect(await model(STANDARD)).toMatchObject({ state: 'building', build: { is_running: true } });
    const found = await api.call('search.run', { as: admin, body: { query: 'maple mill' } });
    expect(found.json().hits.length).toBeGreaterThan(0);
    expect(found.json().why).toMatchObject({ mode: 'lexical' });
    expect(found.json().why.said.join(' ')).toContain('do not name the model');
  });

  it('refuses what cannot be: an unknown model, retiring the active one, a rollback where nothing was before', async () => {
    await ingest('nettle');
    expect((await change('add', 'nobody@1')).json()).toMatchObject({ code: 'model_unknown' });
    expect((await change('activate', 'nobody@1')).json()).toMatchObject({ code: 'model_unknown' });
    expect((await change('retire', STANDARD)).json()).toMatchObject({ code: 'model_is_active' });
    expect((await api.call('models.rollback', { as: admin, body: {} })).json()).toMatchObject({
      code: 'model_without_previous',
    });
    expect((await change('activate', OTHER_MODEL)).json()).toMatchObject({ code: 'model_not_ready' });
    const user = await buildUser(db, admin.tenantId, 'user');
    expect((await api.call('models.list', { as: user })).statusCode).toBe(403);
  });
});

describe('EMBEDDING_MODELS', () => {
  it('that is not a list of models is refused at the start, and the key in it is not repeated', () => {
    const faults = documentSettings.faults as (settings: object) => string[];
    const given = JSON.stringify([{ provider: 'http', model: 'm', url: 'http://x', key: 'sk-very-secret' }]);
    const [fault] = faults({ embeddingProvider: 'embedded', llmProvider: 'none', embeddingModels: given });
    expect(fault).toContain('0.dim');
    expect(fault).not.toContain('sk-very-secret');
    expect(faults({ embeddingProvider: 'embedded', llmProvider: 'none', embeddingModels: 'not JSON' })).toHaveLength(1);
    expect(faults({ embeddingProvider: 'embedded', llmProvider: 'none' })).toEqual([]);
  });
});
