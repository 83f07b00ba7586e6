// The way with pgvector: the schema of the product, its index and its statements, as the application and under row-level security. What is compared is
// what both ways answer. On a server in this process, and on a real one where the machine has it with the extension.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openInProcess, openServer, serverWithVector, type VectorServer } from '../../../../test/support/pgvector.ts';
import type { Queryable } from '../../../platform/database.ts';
import { uuidv7 } from '../../../platform/ids.ts';
import { signBits, toUnitLength, vectorBytes } from '../embedding/embedder.ts';
import { findByIndex, hasIndex, makeIndex, nameOfIndex } from '../sql/find-by-index.ts';
import { noFilter } from '../sql/search-filter.ts';
import { questionBits } from './question-bits.ts';
import { bitIndex, openVectorIndex } from './vector-index.ts';

const DIMS = 64;
const MODEL = { modelId: 'model@1', dims: DIMS };
const installed = serverWithVector();
const servers = [
  { name: 'in this process', open: openInProcess },
  ...(installed === undefined
    ? []
    : [{ name: `installed on this machine (${installed})`, open: () => openServer(installed) }]),
];

/** The same numbers every time. */
let state = 42;
const random = () => {
  state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
  return state / 4_294_967_296;
};
const point = () => toUnitLength(Float32Array.from({ length: DIMS }, () => random() - 0.5));
const topics = Array.from({ length: 60 }, point);
/** Near one of the topics, as passages of documents are. */
const passage = () => {
  const topic = topics[Math.floor(random() * topics.length)] ?? point();
  return toUnitLength(topic.map((value) => value + (random() - 0.5) * 0.3));
};

describe.each(servers)('the index of a model, on a server $name', ({ open }) => {
  let server: VectorServer;
  /** 6,000 passages beside 20 of a small tenant, as S4-12 met them. */
  const [large, small] = [uuidv7(), uuidv7()];
  const vectors: { readonly chunkId: string; readonly vector: Float32Array }[] = [];

  async function insert(tenantId: string, count: number, keep: boolean): Promise<void> {
    const rows = Array.from({ length: count }, () => ({ chunkId: uuidv7(), vector: passage() }));
    await server.query(
      `insert into chunk_embeddings (tenant_id, model_id, doc_version_id, chunk_id, passage_no, embedding, bits)
       select $1, $2, $1, u.id, 0, decode(u.floats, 'hex'), u.bits::varbit from unnest($3::uuid[], $4::text[], $5::text[]) as u (id, floats, bits)`,
      [
        tenantId,
        MODEL.modelId,
        rows.map(({ chunkId }) => chunkId),
        rows.map((row) => vectorBytes(row.vector).toString('hex')),
        rows.map((row) => signBits(row.vector)),
      ],
    );
    if (keep) vectors.push(...rows);
  }

  const question = (tenantId: string, asked: Float32Array) => ({
    tenantId,
    modelId: MODEL.modelId,
    vector: asked,
    filter: noFilter,
    chunks: vectors.length,
  });

  beforeAll(async () => {
    server = await open();
    const { rows } = await server.query(
      `select conname as name from pg_constraint where conrelid = 'chunk_embeddings'::regclass and confrelid = 'chunks'::regclass`,
    );
    // Vectors alone are what is looked at here.
    await server.exec(`alter table chunk_embeddings drop constraint ${rows[0]?.name}`);
  });
  afterAll(() => server.close());

  it('is made once, where the extension is', async () => {
    expect(await makeIndex(server.db, MODEL.modelId, DIMS)).toBe('absent');
    expect(await hasIndex(server.db, MODEL.modelId)).toBe(false);
    await server.exec('create extension vector');
    expect(await makeIndex(server.db, MODEL.modelId, DIMS)).toBe('made');
    expect(await makeIndex(server.db, MODEL.modelId, DIMS)).toBe('there');
    expect([await hasIndex(server.db, MODEL.modelId), await hasIndex(server.db, 'another@1')]).toEqual([true, false]);
  });

  it('is not made while many wait for it', async () => {
    await server.exec(`update pg_class set reltuples = 60000 where oid = 'chunk_signatures'::regclass`);
    expect(await makeIndex(server.db, 'another@1', DIMS)).toBe('large');
    await server.exec(`update pg_class set reltuples = 0 where oid = 'chunk_signatures'::regclass`);
  });

  it('answers like a look at every vector: of the ten nearest at least 98 in 100, with the same scores', async () => {
    await insert(large, 6_000, true);
    await insert(small, 20, false);
    await server.exec('analyze chunk_signatures');
    const byIndex = openVectorIndex(1);
    let [found, same] = [0, 0];
    const ROUNDS = 40;
    for (let round = 0; round < ROUNDS; round++) {
      const asked = passage();
      const exact = vectors
        .map(({ chunkId, vector: other }) => ({
          chunkId,
          score: other.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0),
        }))
        .sort((a, b) => b.score - a.score)
        .slice(0, 10);
      const near = await server.asTenant(large, (db) => byIndex.nearest(db, question(large, asked), 10));
      found += exact.filter(({ chunkId }) => near.some((each) => each.chunkId === chunkId)).length;
      same += near[0] !== undefined && Math.abs(near[0].score - (exact[0]?.score ?? 0)) < 1e-5 ? 1 : 0;
    }
    expect(found / (ROUNDS * 10)).toBeGreaterThanOrEqual(0.98);
    expect(same).toBe(ROUNDS);
  });

  it('is what the statement reads, not the whole table', async () => {
    const plans = await server.asTenant(large, async (db) => {
      const plans: string[] = [];
      const explaining = {
        async query(given: { text: string; values?: unknown[] }) {
          if (given.text.includes('order by')) {
            const { rows } = await db.query({ text: `explain ${given.text}`, values: given.values ?? [] });
            plans.push(rows.map((row) => String(Object.values(row as object)[0])).join('\n'));
          }
          return db.query(given);
        },
      } as unknown as Queryable;
      await findByIndex(explaining, { tenantId: large, ...MODEL }, questionBits(passage()), { met: 2_000, read: 400 });
      return plans.join();
    });
    expect(plans).toContain(nameOfIndex(MODEL.modelId));
    // One sort: of the few that were met, by the numbers of the question.
    expect(plans.match(/Sort Key/g)).toHaveLength(1);
    expect(plans).not.toContain('Seq Scan');
  });

  it('gives a small tenant all it has, beside a large one', async () => {
    const asked = passage();
    const [near, exact] = await server.asTenant(small, async (db) => [
      await openVectorIndex(1).nearest(db, question(small, asked), 400),
      await bitIndex.nearest(db, question(small, asked), 400),
    ]);
    expect(near).toHaveLength(20);
    expect(near).toEqual(exact);
  });

  it('forgets what is not served any more with the next question', async () => {
    const asked = passage();
    const nearest = () => server.asTenant(large, (db) => openVectorIndex(1).nearest(db, question(large, asked), 10));
    const [first] = await nearest();
    await server.query(`delete from chunk_embeddings where chunk_id = $1`, [first?.chunkId]);
    expect((await nearest()).map(({ chunkId }) => chunkId)).not.toContain(first?.chunkId);
  });
});
