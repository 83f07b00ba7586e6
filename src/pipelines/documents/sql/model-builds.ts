// The build of a model's vectors: what is due, how far it is, which passages lack a vector, and the vectors that are made.
import type { Queryable } from '../../../platform/database.ts';
import { lookUpByIndex } from './look-up-by-index.ts';

/** Before every id. */
export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** The tenant whose turn it is, among those whose vectors of this model are due. As documents_models. */
export async function findDueTenant(tx: Queryable, modelId: string, now: Date): Promise<string | undefined> {
  const { rows } = await tx.query<{ tenant_id: string }>({
    name: 'documents-find-due-tenant',
    text: `
      select m.tenant_id from public.embedding_models m
      where m.model_id = $1 and (m.is_due or m.build_version is not null) and m.state <> 'retired'
        and (m.next_try_at is null or m.next_try_at <= $2)
      order by m.part_at nulls first, m.tenant_id
      limit 1`,
    values: [modelId, now],
  });
  return rows[0]?.tenant_id;
}

export interface BuildPlace {
  readonly version: string;
  readonly position: number;
}

// `(m.model_id = …) is true` in what follows: a tenant has a few models, a model may be due for thousands of tenants, and the index of
// those that are due must not be walked for one of them.

/** Begins a round where none is under way. Undefined: nothing is to be built. */
export async function beginRound(tx: Queryable, tenantId: string, modelId: string): Promise<BuildPlace | undefined> {
  const { rows } = await tx.query<{ build_version: string; build_position: number }>({
    name: 'documents-begin-round',
    text: `
      update public.embedding_models m
      set is_due = case when m.build_version is null then false else m.is_due end,
          build_position = case when m.build_version is null then 0 else m.build_position end,
          build_version = coalesce(m.build_version, $3::uuid), part_at = engine.now()
      where m.tenant_id = $1 and (m.model_id = $2) is true and m.state <> 'retired' and (m.is_due or m.build_version is not null)
      returning m.build_version, m.build_position`,
    values: [tenantId, modelId, BEFORE_ALL],
  });
  const [row] = rows;
  return row === undefined ? undefined : { version: row.build_version, position: row.build_position };
}

export interface ServedVersion {
  readonly doc_version_id: string;
  readonly doc_id: string;
  readonly title: string;
  readonly missing: boolean;
}

/** Served versions in order, from the one the build goes on with. */
export async function listServedVersions(
  tx: Queryable,
  tenantId: string,
  modelId: string,
  { version, position }: BuildPlace,
  limit: number,
): Promise<ServedVersion[]> {
  await lookUpByIndex(tx);
  const { rows } = await tx.query<ServedVersion>({
    name: 'documents-list-served-versions',
    text: `
      select v.doc_version_id, v.doc_id, coalesce(v.title, d.title) as title,
             v.passage_count > (
               select count(*) from public.chunk_embeddings e
               where e.tenant_id = $1 and e.model_id = $2 and e.doc_version_id = v.doc_version_id) as missing
      from (
        select w.doc_version_id, w.doc_id, w.title, w.passage_count from public.document_versions w
        where w.tenant_id = $1 and w.is_active and w.doc_version_id >= $3 and (w.doc_version_id > $3 or $4)
        order by w.doc_version_id
        limit $5
      ) v
      join public.documents d on d.tenant_id = $1 and d.doc_id = v.doc_id
      order by v.doc_version_id`,
    values: [tenantId, modelId, version, position > 0, limit],
  });
  return rows;
}

interface FoundPassage {
  readonly position: number;
  readonly chunk_id: string;
  readonly passage_no: number;
  readonly text_hash: Buffer;
  readonly heading_path: string[];
  readonly text: string;
  readonly char_start: number;
  readonly char_end: number;
  readonly is_known: boolean;
}

export interface MissingPassage {
  readonly position: number;
  readonly chunkId: string;
  readonly passageNo: number;
  readonly hash: Buffer;
  readonly headingPath: readonly string[];
  readonly text: string;
  /** The ledger has a vector of this text. */
  readonly isKnown: boolean;
}

const PASSAGES_PER_CHUNK = 1_000;

/** Passages of a version that lack a vector of the model, in reading order from a position on. */
export async function listMissingPassages(
  tx: Queryable,
  tenantId: string,
  modelId: string,
  { version, position }: BuildPlace,
  limit: number,
): Promise<MissingPassage[]> {
  const { rows } = await tx.query<FoundPassage>({
    name: 'documents-list-missing-passages',
    text: `
      select c.chunk_no::bigint * ${PASSAGES_PER_CHUNK} + p.passage_no as position, p.chunk_id, p.passage_no, p.text_hash,
             c.heading_path, c.text, p.char_start, p.char_end,
             exists (select from public.vector_ledger l
                     where l.tenant_id = $1 and l.model_id = $2 and l.text_hash = p.text_hash) as is_known
      from public.chunks c
      cross join lateral (
        select x.* from public.chunk_passages x
        where x.tenant_id = $1 and x.chunk_id = c.chunk_id
        order by x.passage_no
        offset 0
      ) p
      where c.tenant_id = $1 and c.doc_version_id = $3 and c.chunk_no >= $4::bigint / ${PASSAGES_PER_CHUNK}
        and c.chunk_no::bigint * ${PASSAGES_PER_CHUNK} + p.passage_no >= $4
        and (select true from public.chunk_embeddings e
             where e.tenant_id = $1 and e.chunk_id = p.chunk_id and e.passage_no = p.passage_no and e.model_id = $2
             limit 1) is null
      order by c.chunk_no, p.passage_no
      limit $5`,
    values: [tenantId, modelId, version, position, limit],
  });
  return rows.map((row) => ({
    position: row.position,
    chunkId: row.chunk_id,
    passageNo: row.passage_no,
    hash: row.text_hash,
    headingPath: row.heading_path,
    text: row.text.slice(row.char_start, row.char_end),
    isKnown: row.is_known,
  }));
}

/** Vectors of the ledger for these passages. The caller holds the lock of the document, so that it is served or is not. */
export async function serveVectors(
  tx: Queryable,
  tenantId: string,
  modelId: string,
  version: string,
  passages: readonly MissingPassage[],
): Promise<boolean> {
  const { rows } = await tx.query<{ is_active: boolean }>({
    name: 'documents-is-served',
    text: `select v.is_active from public.document_versions v where v.tenant_id = $1 and v.doc_version_id = $2`,
    values: [tenantId, version],
  });
  if (rows[0]?.is_active !== true) return false;
  await tx.query({
    name: 'documents-serve-vectors',
    text: `
      insert into public.chunk_embeddings (tenant_id, model_id, doc_version_id, chunk_id, passage_no, embedding, bits)
      select $1, $2, $3, p.chunk_id, p.passage_no, l.embedding, l.bits
      from unnest($4::uuid[], $5::integer[], $6::bytea[]) as p (chunk_id, passage_no, text_hash)
      cross join lateral (
        select x.embedding, x.bits from public.vector_ledger x
        where x.tenant_id = $1 and x.model_id = $2 and x.text_hash = p.text_hash
        limit 1
      ) l
      on conflict do nothing`,
    values: [
      tenantId,
      modelId,
      version,
      passages.map(({ chunkId }) => chunkId),
      passages.map(({ passageNo }) => passageNo),
      passages.map(({ hash }) => hash),
    ],
  });
  return true;
}

export interface PartCounts {
  readonly embedded: number;
  readonly reused: number;
}

/** The checkpoint. False: somebody else has gone on from there, and nothing of this part may stand. */
export async function moveBuild(
  tx: Queryable,
  tenantId: string,
  modelId: string,
  from: BuildPlace,
  to: BuildPlace,
  { embedded, reused }: PartCounts,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'documents-move-build',
    text: `
      update public.embedding_models m
      set build_version = $5, build_position = $6, passages = m.passages + $7 + $8, embedded = m.embedded + $7,
          reused = m.reused + $8, trouble = null, tries = 0, next_try_at = null, part_at = engine.now()
      where m.tenant_id = $1 and (m.model_id = $2) is true and m.build_version = $3 and m.build_position = $4 and m.state <> 'retired'`,
    values: [tenantId, modelId, from.version, from.position, to.version, to.position, embedded, reused],
  });
  return rowCount === 1;
}

/** The round is over. Where more became due meanwhile the next one begins; else everything that is served has its vectors. */
export async function endRound(tx: Queryable, tenantId: string, modelId: string, from: BuildPlace): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'documents-end-round',
    text: `
      update public.embedding_models m
      set build_version = null, build_position = 0, trouble = null, tries = 0, next_try_at = null,
          state = case when m.state = 'building' and not m.is_due then 'ready' else m.state end,
          ready_at = case when m.is_due then m.ready_at else coalesce(m.ready_at, engine.now()) end
      where m.tenant_id = $1 and (m.model_id = $2) is true and m.build_version = $3 and m.build_position = $4 and m.state <> 'retired'`,
    values: [tenantId, modelId, from.version, from.position],
  });
  return rowCount === 1;
}

/** A provider that fails is asked again later, ever more rarely; other tenants' builds do not wait for it. */
export async function noteTrouble(
  tx: Queryable,
  tenantId: string,
  modelId: string,
  trouble: string,
  { now, firstMs, maxMs }: { readonly now: Date; readonly firstMs: number; readonly maxMs: number },
): Promise<void> {
  await tx.query({
    name: 'documents-note-build-trouble',
    text: `
      update public.embedding_models m
      set trouble = $3, tries = m.tries + 1,
          next_try_at = $4::timestamptz + least($5 * power(2, least(m.tries, 20)), $6) * interval '1 millisecond'
      where m.tenant_id = $1 and m.model_id = $2`,
    values: [tenantId, modelId, trouble, now, firstMs, maxMs],
  });
}

/** A retired model that still has vectors, of whichever tenant. As documents_models. */
export async function findRetired(
  tx: Queryable,
): Promise<{ readonly tenantId: string; readonly modelId: string } | undefined> {
  const { rows } = await tx.query<{ tenant_id: string; model_id: string }>({
    name: 'documents-find-retired',
    text: `
      select m.tenant_id, m.model_id from public.embedding_models m
      where m.is_due and m.state = 'retired'
      order by m.part_at nulls first, m.tenant_id, m.model_id
      limit 1`,
  });
  const [row] = rows;
  return row === undefined ? undefined : { tenantId: row.tenant_id, modelId: row.model_id };
}

/** Some vectors of a retired model: those of about `limit` passages. The model's row is held, so that nobody adds it again meanwhile. */
export async function deleteRetiredVectors(
  tx: Queryable,
  tenantId: string,
  modelId: string,
  limit: number,
): Promise<number> {
  const { rows: held } = await tx.query({
    name: 'documents-hold-retired',
    text: `
      select from public.embedding_models m
      where m.tenant_id = $1 and m.model_id = $2 and m.state = 'retired'
      for update`,
    values: [tenantId, modelId],
  });
  if (held.length === 0) return 0;
  await lookUpByIndex(tx);
  const { rows: found } = await tx.query<{ chunk_id: string }>({
    name: 'documents-list-retired-vectors',
    text: `select e.chunk_id from public.chunk_embeddings e where e.tenant_id = $1 and e.model_id = $2 limit $3`,
    values: [tenantId, modelId, limit],
  });
  const { rowCount: served } = await tx.query({
    name: 'documents-delete-retired-vectors',
    text: `
      delete from public.chunk_embeddings e
      where e.tenant_id = $1 and e.model_id = $2 and e.chunk_id = any ($3::uuid[])`,
    values: [tenantId, modelId, [...new Set(found.map(({ chunk_id: chunk }) => chunk))]],
  });
  const { rows: known } = await tx.query<{ text_hash: Buffer }>({
    name: 'documents-list-retired-ledger',
    text: `select l.text_hash from public.vector_ledger l where l.tenant_id = $1 and l.model_id = $2 limit $3`,
    values: [tenantId, modelId, limit],
  });
  const { rowCount: kept } = await tx.query({
    name: 'documents-delete-retired-ledger',
    text: `
      delete from public.vector_ledger l
      where l.tenant_id = $1 and l.model_id = $2 and l.text_hash = any ($3::bytea[])`,
    values: [tenantId, modelId, known.map(({ text_hash: hash }) => hash)],
  });
  const deleted = (served ?? 0) + (kept ?? 0);
  await tx.query({
    name: 'documents-note-retired',
    text: `
      update public.embedding_models m set is_due = $3, part_at = engine.now()
      where m.tenant_id = $1 and m.model_id = $2`,
    values: [tenantId, modelId, deleted > 0],
  });
  return deleted;
}
