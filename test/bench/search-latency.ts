// How quickly a search is answered over HTTP: by words and by vectors, in one tenant with many chunks and in one of a thousand small ones; and
// how many of the nearest passages the signs bring. Words follow Zipf's law over 50,000 of them; vectors are mixtures of real ones.
import { signBits, toUnitLength, vectorBytes } from '../../src/pipelines/documents/embedding/embedder.ts';
import { bitIndex } from '../../src/pipelines/documents/search/vector-index.ts';
import { noFilter } from '../../src/pipelines/documents/sql/search-filter.ts';
import { type Figure, rate, time } from './report.ts';
import type { BenchTenant, SearchServer } from './search-server.ts';

interface Options {
  /** Of one tenant each, the largest last: its figures have the plain names. */
  readonly sizes: readonly number[];
  readonly quick: boolean;
  readonly say: (line: string) => void;
}

const CHUNKS_PER_DOCUMENT = 20;
const WORDS_PER_CHUNK = 90;
const VOCABULARY = 50_000;
const SMALL_CHUNKS = 200;
const BATCH = 2_000;

export async function benchLatency(server: SearchServer, { sizes, quick, say }: Options): Promise<Figure[]> {
  const random = generator(7);
  const base = await baseVectors(server);
  const mixed = () => mixture(base, random);
  const small = quick ? 20 : 1_000;
  const tenants: BenchTenant[] = [];
  for (let at = 0; at < small; at++) tenants.push(await server.tenant(`small ${at}`));
  const large: { tenant: BenchTenant; chunks: number; vectors: Seeded[] }[] = [];
  for (const chunks of sizes) {
    const tenant = await server.tenant(`one with ${chunks}`);
    large.push({ tenant, chunks, vectors: await seed(server, [{ tenant, chunks }], mixed) });
    say(`seeded ${chunks} chunks of one tenant`);
  }
  await seed(
    server,
    tenants.map((tenant) => ({ tenant, chunks: SMALL_CHUNKS })),
    mixed,
  );
  await server.admin.query('vacuum analyze');
  say(`seeded ${small} × ${SMALL_CHUNKS}`);

  const rounds = quick ? 30 : 120;
  const questions = Array.from({ length: rounds }, () => words(random));
  const figures: Figure[] = [];
  for (const { tenant, chunks } of large) {
    const suffix = chunks === sizes.at(-1) ? '' : `-${chunks}`;
    // Embedding the words is the model's time, measured elsewhere: they are embedded before.
    for (const question of questions) await timeSearch(tenant, question, 'vector');
    for (const mode of ['lexical', 'vector'] as const) {
      const times: number[] = [];
      for (const question of questions) times.push(await timeSearch(tenant, question, mode));
      figures.push(...percentiles(`${mode}`, times, suffix));
    }
    say(`measured ${chunks}`);
  }
  const one: number[] = [];
  for (const [at, question] of questions.entries()) {
    const tenant = tenants[(at * 37) % tenants.length];
    if (tenant !== undefined)
      one.push(await timeSearch(tenant, question, 'lexical'), await timeSearch(tenant, question, 'vector'));
  }
  const largest = large.at(-1);
  const recall = largest && (await measureRecall(server, largest.tenant, largest.vectors, mixed, quick ? 20 : 60));
  return [...figures, ...percentiles('tenant', one), rate('vector-recall', [recall ?? 0], 'recall@10', {})];
}

async function timeSearch({ call }: BenchTenant, query: string, mode: 'lexical' | 'vector'): Promise<number> {
  const startedAt = performance.now();
  await call('search.run', { body: { query, mode, limit: 10 } });
  return performance.now() - startedAt;
}

function percentiles(name: string, times: readonly number[], suffix = ''): Figure[] {
  return [
    time(`${name}-p95${suffix}`, [percentile(times, 0.95)], 'ms', {}),
    time(`${name}-p50${suffix}`, [percentile(times, 0.5)], 'ms', {}),
  ];
}

/** Real vectors give real neighbourhoods: those that were kept, or a few texts embedded now. */
async function baseVectors(server: SearchServer): Promise<Float32Array[]> {
  const kept = server.embedder.vectors();
  if (kept.length >= 200) return kept.slice(0, 4_000);
  const random = generator(11);
  return server.embedder.embed(Array.from({ length: 200 }, () => words(random)));
}

function mixture(base: readonly Float32Array[], random: () => number): Float32Array {
  const pick = () => base[Math.floor(random() * base.length)] ?? new Float32Array(384);
  const [one, two] = [pick(), pick()];
  const share = 0.5 + random() / 2;
  return toUnitLength(one.map((value, at) => share * value + (1 - share) * (two[at] ?? 0) + (random() - 0.5) * 0.08));
}

interface Seed {
  readonly tenant: BenchTenant;
  readonly chunks: number;
}

interface Seeded {
  readonly id: string;
  readonly vector: Float32Array;
}

/** Set by set. Says the vectors of all, in the order of their chunks. */
async function seed(
  { admin, embedder }: SearchServer,
  seeds: readonly Seed[],
  next: () => Float32Array,
): Promise<Seeded[]> {
  const { modelId, dims } = embedder.facts;
  const ids = seeds.map(({ tenant }) => tenant.tenantId);
  const counts = seeds.map(({ chunks }) => chunks);
  await admin.query(
    `insert into embedding_models (tenant_id, model_id, name, provider, dims, max_tokens, state)
     select t, $2, 'bench', 'embedded', $3, 256, 'active' from unnest($1::uuid[]) t`,
    [ids, modelId, dims],
  );
  await admin.query(
    `with d as (
       insert into documents (doc_id, tenant_id, source_type, source_uri, title)
       select gen_random_uuid(), s.t, 'txt', 'bench://' || n, 'Document ' || n
       from unnest($1::uuid[], $2::int[]) s (t, chunks) cross join lateral generate_series(1, ceil(s.chunks / $3::numeric)::int) n
       returning doc_id, tenant_id)
     insert into document_versions (doc_version_id, tenant_id, doc_id, version_no, content_hash, is_active, run_id, source_seq, source_type, unit,
       page_count, chunk_count, term_length, ready_at, activated_at, search_config, model_id)
     select gen_random_uuid(), tenant_id, doc_id, 1, 'x', true, gen_random_uuid(), 1, 'txt', 'section', 1, $3, $3 * $4, now(), now(), 'simple', $5 from d`,
    [ids, counts, CHUNKS_PER_DOCUMENT, WORDS_PER_CHUNK, modelId],
  );
  await admin.query(
    `insert into chunks (chunk_id, tenant_id, doc_version_id, doc_id, chunk_no, page_from, page_to, text, token_count)
     select gen_random_uuid(), tenant_id, doc_version_id, doc_id, n, 1, 1, repeat('words of a chunk ', 60), 300
     from document_versions cross join generate_series(0, $2 - 1) n where tenant_id = any ($1)`,
    [ids, CHUNKS_PER_DOCUMENT],
  );
  await admin.query(
    `insert into chunk_terms (tenant_id, term, doc_version_id, chunk_nos, counts, head_counts, lengths)
     select tenant_id, term, doc_version_id, array_agg(chunk_no order by chunk_no), array_agg(times order by chunk_no),
            array_agg(0 order by chunk_no), array_agg($2::int order by chunk_no)
     from (select tenant_id, doc_version_id, chunk_no, 'w' || floor(power($3::float8, random()))::int as term, count(*)::int as times
           from chunks cross join generate_series(1, $2) where tenant_id = any ($1) group by 1, 2, 3, 4) t
     group by tenant_id, term, doc_version_id`,
    [ids, WORDS_PER_CHUNK, VOCABULARY],
  );
  const { rows } = await admin.query<{ chunk_id: string }>(
    `select chunk_id from chunks where tenant_id = any ($1) order by tenant_id, doc_version_id, chunk_no`,
    [ids],
  );
  const all = rows.map(({ chunk_id: id }) => ({ id, vector: next() }));
  for (let at = 0; at < all.length; at += BATCH) {
    const some = all.slice(at, at + BATCH);
    await admin.query(
      `insert into chunk_embeddings (tenant_id, model_id, doc_version_id, chunk_id, passage_no, embedding, bits)
       select c.tenant_id, $1, c.doc_version_id, c.chunk_id, 0, v.embedding, v.bits::varbit
       from unnest($2::uuid[], $3::bytea[], $4::text[]) as v (chunk_id, embedding, bits) join chunks c on c.chunk_id = v.chunk_id and c.tenant_id = any ($5)`,
      [
        modelId,
        some.map(({ id }) => id),
        some.map(({ vector }) => vectorBytes(vector)),
        some.map(({ vector }) => signBits(vector)),
        ids,
      ],
    );
  }
  return all;
}

async function measureRecall(
  { admin, embedder }: SearchServer,
  tenant: BenchTenant,
  all: readonly Seeded[],
  next: () => Float32Array,
  rounds: number,
): Promise<number> {
  let found = 0;
  for (let round = 0; round < rounds; round++) {
    const vector = next();
    const exact = all
      .map(({ id, vector: other }) => ({
        id,
        score: other.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0),
      }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 10);
    const question = {
      tenantId: tenant.tenantId,
      modelId: embedder.facts.modelId,
      vector,
      filter: noFilter,
      chunks: all.length,
    };
    const near = new Set((await bitIndex.nearest(admin, question, 10)).map(({ chunkId }) => chunkId));
    found += exact.filter(({ id }) => near.has(id)).length;
  }
  return found / (rounds * 10);
}

/** Three to six words as people ask: some common, some rare. */
function words(random: () => number): string {
  const count = 3 + Math.floor(random() * 4);
  return Array.from({ length: count }, () => `w${Math.floor(VOCABULARY ** random())}`).join(' ');
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
}

/** The same numbers every time. */
function generator(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state / 4_294_967_296;
  };
}
