// How quickly a search is answered over HTTP: by words, by vectors and by both, in one tenant with many chunks and in each of a thousand small ones;
// and how many of the nearest passages the signs bring. What is seeded is kept beside the system's temporary files for the next bench.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { vectorOf } from '../../src/pipelines/documents/embedding/embedder.ts';
import { bitIndex } from '../../src/pipelines/documents/search/vector-index.ts';
import { noFilter } from '../../src/pipelines/documents/sql/search-filter.ts';
import { type Figure, time } from './report.ts';
import { readTexts, share } from './search-collections.ts';
import { draw, seedChunks } from './search-seed.ts';
import { type BenchTenant, openSearchServer, type SearchServer } from './search-server.ts';
import { dot, generator, neighbourhoodsOf } from './search-vectors.ts';

interface Options {
  readonly quick: boolean;
  readonly say: (line: string) => void;
  /** The folder of the collections: real passages to copy, real questions to ask. */
  readonly data: string | undefined;
}

interface Kept {
  /** Of one tenant each, the largest last: its figures have the plain names. */
  readonly large: readonly { readonly tenant: BenchTenant; readonly chunks: number }[];
  readonly small: readonly BenchTenant[];
}

const SIZES = [5_000, 200_000];
const QUICK_SIZES = [5_000];
const SMALL_CHUNKS = 200;
const QUESTIONS = 200;
const WARMING = 20;
const RECALL_QUESTIONS = 100;
const MOST_PASSAGES = 4_000;
const READ_AT_ONCE = 5_000;
const modes = ['lexical', 'vector', 'hybrid'] as const;
type Mode = (typeof modes)[number];

/** The home of an installation that has the chunks; seeded now, unless an earlier bench has left it. */
export async function openSeeded({ quick, say, data }: Options): Promise<{ server: SearchServer; kept: Kept }> {
  const home = path.join(tmpdir(), `millrace-bench-search-${quick ? 'quick' : 'whole'}`);
  const note = path.join(home, 'seeded.json');
  const isSeeded = existsSync(note);
  mkdirSync(home, { recursive: true, mode: 0o755 });
  const server = await openSearchServer(say, home);
  if (isSeeded) {
    const { large, small } = JSON.parse(readFileSync(note, 'utf8')) as Kept;
    say(`using what ${home} has`);
    const reopened = (tenant: BenchTenant) => server.signIn(tenant.user);
    return {
      server,
      kept: {
        large: await Promise.all(large.map(async (one) => ({ ...one, tenant: await reopened(one.tenant) }))),
        small: await Promise.all(small.map(reopened)),
      },
    };
  }
  const kept = await seed(server, { quick, say, data });
  writeFileSync(note, JSON.stringify(kept));
  return { server, kept };
}

async function seed(server: SearchServer, { quick, say, data }: Options): Promise<Kept> {
  const large: { tenant: BenchTenant; chunks: number }[] = [];
  const small: BenchTenant[] = [];
  for (const chunks of quick ? QUICK_SIZES : SIZES)
    large.push({ tenant: await server.tenant(`one with ${chunks}`), chunks });
  for (let at = 0; at < (quick ? 20 : 1_000); at++) small.push(await server.tenant(`small ${at}`));
  const base = neighbourhoodsOf(await server.embedder.embed(textsOf(data).passages));
  const seeds = [
    ...large.map(({ tenant, chunks }) => ({ tenantId: tenant.user.tenant_id, chunks })),
    ...small.map(({ user }) => ({ tenantId: user.tenant_id, chunks: SMALL_CHUNKS })),
  ];
  await seedChunks(server.admin, server.embedder.facts, seeds, base);
  say(`seeded ${large.map(({ chunks }) => chunks).join(' and ')} chunks, and ${small.length} × ${SMALL_CHUNKS}`);
  await server.admin.query('vacuum analyze');
  await server.admin.query('checkpoint');
  return { large, small };
}

export async function benchLatency(server: SearchServer, kept: Kept, { quick, say, data }: Options): Promise<Figure[]> {
  const random = generator(5);
  // Three to six words as people ask: some common, some rare, some that the tenant does not have.
  const questions = Array.from({ length: quick ? 40 : QUESTIONS }, () =>
    draw(3 + Math.floor(random() * 4), random).join(' '),
  );
  const figures: Figure[] = [];
  for (const { tenant, chunks } of kept.large) {
    const suffix = chunks === kept.large.at(-1)?.chunks ? '' : `-${chunks}`;
    // Embedding the words is the model's time, measured with documents: they are embedded before.
    for (const question of questions) await server.embedder.embed([question]);
    for (const mode of modes) {
      for (const question of questions.slice(0, WARMING)) await timeSearch(tenant, question, mode);
      const times: number[] = [];
      for (const question of questions) times.push(await timeSearch(tenant, question, mode));
      figures.push(...percentiles(mode, times, suffix));
      say(`${chunks} chunks, ${mode}: ${meanStages()} ms`);
    }
  }
  figures.push(...(await measureSmall(kept.small, questions, say)));
  const largest = kept.large.at(-1);
  const asked = textsOf(data).questions.slice(0, quick ? 20 : RECALL_QUESTIONS);
  const recall = largest && (await measureRecall(server, largest.tenant, largest.chunks, asked));
  return [...figures, share('vector-recall', recall ?? 0, 'recall@10')];
}

/** Each question to another tenant, whose pages nobody has asked for yet. */
async function measureSmall(
  tenants: readonly BenchTenant[],
  questions: readonly string[],
  say: Options['say'],
): Promise<Figure[]> {
  const times: Record<Mode, number[]> = { lexical: [], vector: [], hybrid: [] };
  for (const [number, mode] of modes.entries()) {
    for (const [at, question] of questions.entries()) {
      const tenant = tenants[(at * 37 + number * 13) % tenants.length];
      if (tenant !== undefined) times[mode].push(await timeSearch(tenant, question, mode));
    }
    say(`${tenants.length} tenants, ${mode}: ${meanStages()} ms`);
  }
  const worst = Math.max(percentile(times.lexical, 0.95), percentile(times.vector, 0.95));
  return [
    time('tenant-p95', [worst], 'ms', {}),
    ...modes.flatMap((mode) => percentiles(`tenant-${mode}`, times[mode], '')),
  ];
}

/** Milliseconds by stage of all searches so far, to be told where the time goes. */
const spent = new Map<string, number>();
let counted = 0;

async function timeSearch({ call }: BenchTenant, query: string, mode: Mode): Promise<number> {
  const startedAt = performance.now();
  const { why } = await call('search.run', { body: { query, mode, limit: 10 } });
  const took = performance.now() - startedAt;
  for (const [stage, ms] of [...Object.entries(why.stages), ['whole', took] as const])
    spent.set(stage, (spent.get(stage) ?? 0) + ms);
  counted += 1;
  return took;
}

/** Of the searches since it was last asked. */
function meanStages(): string {
  const said = [...spent].map(([stage, ms]) => `${stage} ${(ms / counted).toFixed(1)}`).join(', ');
  spent.clear();
  counted = 0;
  return said;
}

function percentiles(name: string, times: readonly number[], suffix: string): Figure[] {
  return [
    time(`${name}-p95${suffix}`, [percentile(times, 0.95)], 'ms', {}),
    time(`${name}-p50${suffix}`, [percentile(times, 0.5)], 'ms', {}),
  ];
}

/** Of the collections, or of made up words where there are none. */
function textsOf(data: string | undefined): { passages: readonly string[]; questions: readonly string[] } {
  if (data !== undefined) return readTexts(data, MOST_PASSAGES);
  const random = generator(11);
  const texts = (count: number, words: number) => Array.from({ length: count }, () => draw(words, random).join(' '));
  return { passages: texts(400, 12), questions: texts(RECALL_QUESTIONS, 6) };
}

async function measureRecall(
  { admin, embedder }: SearchServer,
  { user: { tenant_id: tenantId } }: BenchTenant,
  chunks: number,
  asked: readonly string[],
): Promise<number> {
  const questions = await embedder.embed(asked);
  const exact = await exactNearest(admin, tenantId, questions);
  let found = 0;
  for (const [at, vector] of questions.entries()) {
    const question = { tenantId, modelId: embedder.facts.modelId, vector, filter: noFilter, chunks };
    const near = new Set((await bitIndex.nearest(admin, question, 10)).map(({ chunkId }) => chunkId));
    found += exact[at]?.filter(({ id }) => near.has(id)).length ?? 0;
  }
  return found / (questions.length * 10);
}

interface Scored {
  readonly id: string;
  readonly score: number;
}

/** Every vector of the tenant is compared with every question. */
async function exactNearest(
  admin: SearchServer['admin'],
  tenantId: string,
  questions: readonly Float32Array[],
): Promise<Scored[][]> {
  const best: Scored[][] = questions.map(() => []);
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await admin.query<{ chunk_id: string; embedding: Buffer }>(
      `select chunk_id, embedding from chunk_embeddings where tenant_id = $1 and chunk_id > $2 order by chunk_id limit $3`,
      [tenantId, after, READ_AT_ONCE],
    );
    for (const { chunk_id: id, embedding } of rows) {
      const vector = vectorOf(embedding);
      for (const [at, question] of questions.entries()) keepBest(best[at] ?? [], { id, score: dot(question, vector) });
    }
    const last = rows.at(-1);
    if (last === undefined) return best;
    after = last.chunk_id;
  }
}

function keepBest(best: Scored[], one: Scored): void {
  if (best.length === 10 && one.score <= (best[9]?.score ?? 0)) return;
  best.push(one);
  best.sort((a, b) => b.score - a.score);
  best.length = Math.min(best.length, 10);
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
}
