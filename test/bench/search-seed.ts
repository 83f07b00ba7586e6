// Many chunks for the latencies of search, written straight into the tables, in the order in which documents would have come. Words are made of
// syllables and follow Zipf's law over 50,000 of them; vectors are copies of real ones (search-vectors.ts).
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { signBits, vectorBytes } from '../../src/pipelines/documents/embedding/embedder.ts';
import type { Pool } from '../../src/platform/database.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { generator, type Neighbourhoods, neighbourOf } from './search-vectors.ts';

export interface Seed {
  readonly tenantId: string;
  readonly chunks: number;
}

interface SeededVersion {
  readonly tenantId: string;
  readonly docId: string;
  readonly versionId: string;
  readonly chunks: readonly { readonly id: string; readonly words: readonly string[] }[];
}

const CHUNKS_PER_DOCUMENT = 20;
const WORDS_PER_CHUNK = 90;
const VOCABULARY = 50_000;
const VERSIONS_AT_ONCE = 500;

export async function seedChunks(
  admin: Pool,
  model: { readonly modelId: string; readonly dims: number },
  seeds: readonly Seed[],
  base: Neighbourhoods,
): Promise<void> {
  const random = generator(7);
  const client = await admin.connect();
  const copy = (into: string, rows: Iterable<string>) =>
    pipeline(Readable.from(rows), client.query(copyFrom(`copy ${into} from stdin`)));
  try {
    // Rows that are whole by construction: checking each reference would take longer than writing them.
    await client.query(`set session_replication_role = replica`);
    await client.query(
      `insert into embedding_models (tenant_id, model_id, name, provider, dims, max_tokens, state)
       select t, $2, 'bench', 'embedded', $3, 256, 'active' from unnest($1::uuid[]) t`,
      [seeds.map(({ tenantId }) => tenantId), model.modelId, model.dims],
    );
    for (const versions of batches(seeds, random)) {
      await copy('documents (doc_id, tenant_id, source_type, source_uri, title)', documentRows(versions));
      await copy(`document_versions (${versionColumns})`, versionRows(versions, model.modelId));
      await copy(`chunks (${chunkColumns})`, chunkRows(versions));
      await copy(`chunk_passages (${passageColumns})`, passageRows(versions));
      await copy(
        'chunk_terms (tenant_id, term, doc_version_id, chunk_nos, counts, head_counts, lengths)',
        termRows(versions),
      );
      await copy(`chunk_embeddings (${vectorColumns})`, vectorRows(versions, model.modelId, base, random));
    }
    await client.query(
      `insert into chunk_signatures (tenant_id, model_id, doc_version_id, chunk_id, passage_no, bits)
       select tenant_id, model_id, doc_version_id, chunk_id, passage_no, bits from chunk_embeddings where tenant_id = any ($1::uuid[])`,
      [seeds.map(({ tenantId }) => tenantId)],
    );
  } finally {
    client.release(true);
  }
}

const versionColumns =
  'doc_version_id, tenant_id, doc_id, version_no, content_hash, is_active, run_id, source_seq, source_type, unit, page_count, chunk_count, term_length, ready_at, activated_at, search_config, model_id';
const chunkColumns = 'chunk_id, tenant_id, doc_version_id, doc_id, chunk_no, page_from, page_to, text, token_count';
const passageColumns =
  'tenant_id, chunk_id, passage_no, doc_version_id, page_no, char_start, char_end, token_count, text_hash';
const vectorColumns = 'tenant_id, model_id, doc_version_id, chunk_id, passage_no, embedding, bits';

const line = (...cells: readonly (string | number | boolean)[]) => `${cells.join('\t')}\n`;

function* batches(seeds: readonly Seed[], random: () => number): Generator<SeededVersion[]> {
  let some: SeededVersion[] = [];
  for (const { tenantId, chunks } of seeds)
    for (let left = chunks; left > 0; left -= CHUNKS_PER_DOCUMENT) {
      const count = Math.min(left, CHUNKS_PER_DOCUMENT);
      const made = Array.from({ length: count }, () => ({ id: uuidv7(), words: draw(WORDS_PER_CHUNK, random) }));
      some.push({ tenantId, docId: uuidv7(), versionId: uuidv7(), chunks: made });
      if (some.length < VERSIONS_AT_ONCE) continue;
      yield some;
      some = [];
    }
  if (some.length > 0) yield some;
}

function* documentRows(versions: readonly SeededVersion[]): Generator<string> {
  for (const { tenantId, docId } of versions) yield line(docId, tenantId, 'txt', `bench://${docId}`, 'A document');
}

function* versionRows(versions: readonly SeededVersion[], modelId: string): Generator<string> {
  for (const { tenantId, docId, versionId, chunks } of versions) {
    const counts = [1, chunks.length, chunks.length * WORDS_PER_CHUNK];
    const identity = [versionId, tenantId, docId, 1, 'x', true, uuidv7(), 1, 'txt', 'section'];
    yield line(...identity, ...counts, 'now', 'now', 'simple', modelId);
  }
}

function* chunkRows(versions: readonly SeededVersion[]): Generator<string> {
  for (const { tenantId, docId, versionId, chunks } of versions)
    for (const [no, { id, words }] of chunks.entries())
      yield line(id, tenantId, versionId, docId, no, 1, 1, words.join(' '), 300);
}

function* passageRows(versions: readonly SeededVersion[]): Generator<string> {
  for (const { tenantId, versionId, chunks } of versions)
    for (const { id, words } of chunks) {
      const text = words.join(' ');
      const hash = createHash('sha256').update(text).digest('hex');
      yield line(tenantId, id, 0, versionId, 1, 0, text.length, 120, `\\\\x${hash}`);
    }
}

function* termRows(versions: readonly SeededVersion[]): Generator<string> {
  for (const { tenantId, versionId, chunks } of versions) {
    const postings = new Map<string, Map<number, number>>();
    for (const [no, { words }] of chunks.entries())
      for (const word of words) {
        const counts = postings.get(word) ?? new Map<number, number>();
        if (counts.size === 0) postings.set(word, counts);
        counts.set(no, (counts.get(no) ?? 0) + 1);
      }
    for (const [term, counts] of postings) {
      const each = (value: number) => `{${[...counts.keys()].fill(value).join(',')}}`;
      const arrays = [`{${[...counts.keys()].join(',')}}`, `{${[...counts.values()].join(',')}}`];
      yield line(tenantId, term, versionId, ...arrays, each(0), each(WORDS_PER_CHUNK));
    }
  }
}

function* vectorRows(
  versions: readonly SeededVersion[],
  modelId: string,
  base: Neighbourhoods,
  random: () => number,
): Generator<string> {
  for (const { tenantId, versionId, chunks } of versions)
    for (const { id } of chunks) {
      const vector = neighbourOf(base, random);
      yield line(tenantId, modelId, versionId, id, 0, `\\\\x${vectorBytes(vector).toString('hex')}`, signBits(vector));
    }
}

const first = 'b c d f g h k l m n p r s t v w z br cl dr fl gr pl st tr'.split(' ');
const middle = 'a e i o u ai ea io ou'.split(' ');
const last = ' l m n r s t x nd rt'.split(' ');
const syllables = first.flatMap((a) => middle.flatMap((b) => last.map((c) => a + b + c)));

/** Of letters alone, as words are: those that a tenant does not have are looked for among its neighbours. */
function wordOf(rank: number): string {
  const one = syllables[(rank * 769) % syllables.length] ?? '';
  const two = syllables[(Math.floor(rank / syllables.length) * 331 + rank * 17) % syllables.length] ?? '';
  return `${one}${two}${syllables[(rank * 5) % 41] ?? ''}`;
}

export function draw(count: number, random: () => number): string[] {
  return Array.from({ length: count }, () => wordOf(Math.floor(VOCABULARY ** random())));
}
