// The way with pgvector, on a server that has it (in this process: Debian has no package for it): the schema of the product, its index and its
// statements. What is compared is what both ways answer.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../../platform/database.ts';
import { uuidv7 } from '../../../platform/ids.ts';
import { migrationsFolder } from '../../../platform/migrate.ts';
import { signBits, toUnitLength, vectorBytes } from '../embedding/embedder.ts';
import { findByIndex, hasIndex, makeIndex, nameOfIndex } from '../sql/find-by-index.ts';
import { noFilter } from '../sql/search-filter.ts';
import { bitIndex, openVectorIndex } from './vector-index.ts';

const DIMS = 64;
const MODEL = { modelId: 'model@1', dims: DIMS };
const server = new PGlite({ extensions: { vector } });
// One session: what it is given is what a client of pg gives, without names of statements.
const db = {
  query: ({ text, values = [] }: { text: string; values?: unknown[] }) => server.query(text, [...values]),
} as unknown as Queryable;
/** 6,000 passages beside 20 of a small tenant, as S4-12 met them. */
const [large, small] = [uuidv7(), uuidv7()];
const vectors: { readonly chunkId: string; readonly vector: Float32Array }[] = [];

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

beforeAll(async () => {
  for (const file of readdirSync(migrationsFolder).sort())
    if (file.endsWith('.sql')) await server.exec(readFileSync(path.join(migrationsFolder, file), 'utf8'));
  const { rows } = await server.query<{ name: string }>(
    `select conname as name from pg_constraint where conrelid = 'chunk_embeddings'::regclass and confrelid = 'chunks'::regclass`,
  );
  // Vectors alone are what is looked at here.
  await server.exec(`alter table chunk_embeddings drop constraint ${rows[0]?.name}`);
});
afterAll(() => server.close());

const question = (tenantId: string, asked: Float32Array) => ({
  tenantId,
  modelId: MODEL.modelId,
  vector: asked,
  filter: noFilter,
  chunks: vectors.length,
});

describe('the index of a model', () => {
  it('is made once, where the extension is', async () => {
    expect(await makeIndex(db, MODEL.modelId, DIMS)).toBe('absent');
    expect(await hasIndex(db, MODEL.modelId)).toBe(false);
    await server.exec('create extension vector');
    expect(await makeIndex(db, MODEL.modelId, DIMS)).toBe('made');
    expect(await makeIndex(db, MODEL.modelId, DIMS)).toBe('there');
    expect([await hasIndex(db, MODEL.modelId), await hasIndex(db, 'another@1')]).toEqual([true, false]);
  });

  it('is not made while many wait for it', async () => {
    await server.exec(`update pg_class set reltuples = 60000 where oid = 'chunk_signatures'::regclass`);
    expect(await makeIndex(db, 'another@1', DIMS)).toBe('large');
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
      const near = (await byIndex.nearest(db, question(large, asked), 400)).slice(0, 10);
      found += exact.filter(({ chunkId }) => near.some((each) => each.chunkId === chunkId)).length;
      same += near[0] !== undefined && Math.abs(near[0].score - (exact[0]?.score ?? 0)) < 1e-5 ? 1 : 0;
    }
    expect(found / (ROUNDS * 10)).toBeGreaterThanOrEqual(0.98);
    expect(same).toBe(ROUNDS);
  });

  it('is what the statement reads, not the whole table', async () => {
    const plans: string[] = [];
    const explaining = {
      async query(given: { text: string; values?: unknown[] }) {
        if (given.text.includes('order by'))
          plans.push(JSON.stringify((await server.query(`explain ${given.text}`, [...(given.values ?? [])])).rows));
        return db.query(given);
      },
    } as unknown as Queryable;
    await server.exec('begin');
    await findByIndex(explaining, { tenantId: large, ...MODEL }, signBits(passage()), 400);
    await server.exec('rollback');
    expect(plans.join()).toContain(nameOfIndex(MODEL.modelId));
    expect(plans.join()).not.toContain('Sort');
  });

  it('gives a small tenant all it has, beside a large one', async () => {
    const asked = passage();
    const near = await openVectorIndex(1).nearest(db, question(small, asked), 400);
    const exact = await bitIndex.nearest(db, question(small, asked), 400);
    expect(near).toHaveLength(20);
    expect(near).toEqual(exact);
  });

  it('forgets what is not served any more with the next question', async () => {
    const asked = passage();
    const [first] = await openVectorIndex(1).nearest(db, question(large, asked), 10);
    await server.query(`delete from chunk_embeddings where chunk_id = $1`, [first?.chunkId]);
    const after = await openVectorIndex(1).nearest(db, question(large, asked), 10);
    expect(after.map(({ chunkId }) => chunkId)).not.toContain(first?.chunkId);
  });
});
