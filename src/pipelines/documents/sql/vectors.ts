// The ledger of vectors and the models they were made with.
import type { Queryable } from '../../../platform/database.ts';
import type { ModelFacts } from '../embedding/embedder.ts';

/** The first model of a tenant is its active one; another becomes so only by a person. */
export async function recordModel(tx: Queryable, tenantId: string, facts: ModelFacts): Promise<void> {
  await tx.query({
    name: 'documents-record-model',
    text: `
      insert into public.embedding_models
        (tenant_id, model_id, name, provider, dims, max_tokens, state, is_due, activated_at)
      select $1, $2, $3, $4, $5, $6, case when a.has then 'building' else 'active' end, a.has,
             case when not a.has then engine.now() end
      from (select exists (select from public.embedding_models m where m.tenant_id = $1 and m.state = 'active') as has) a
      on conflict do nothing`,
    values: [tenantId, facts.modelId, facts.name, facts.provider, facts.dims, facts.maxTokens],
  });
}

/** Those that new documents get vectors of; the active one first. */
export async function listLiveModels(
  tx: Queryable,
  tenantId: string,
): Promise<{ modelId: string; isActive: boolean }[]> {
  const { rows } = await tx.query<{ model_id: string; is_active: boolean }>({
    name: 'documents-list-live-models',
    text: `
      select m.model_id, m.state = 'active' as is_active from public.embedding_models m
      where m.tenant_id = $1 and m.state <> 'retired'
      order by (m.state = 'active') desc, m.model_id`,
    values: [tenantId],
  });
  return rows.map(({ model_id: modelId, is_active: isActive }) => ({ modelId, isActive }));
}

/** Which of these texts have a vector of the model, in hex. */
export async function knownHashes(
  tx: Queryable,
  tenantId: string,
  modelId: string,
  hashes: readonly Buffer[],
): Promise<Set<string>> {
  if (hashes.length === 0) return new Set();
  const { rows } = await tx.query<{ hash: string }>({
    name: 'documents-known-hashes',
    text: `
      select encode(l.text_hash, 'hex') as hash from public.vector_ledger l
      where l.tenant_id = $1 and l.model_id = $2 and l.text_hash = any ($3::bytea[])`,
    values: [tenantId, modelId, hashes],
  });
  return new Set(rows.map(({ hash }) => hash));
}

export interface VectorRow {
  readonly hash: Buffer;
  readonly embedding: Buffer;
  readonly bits: string;
}

/** Another run may have embedded the same text meanwhile. */
export async function insertVectors(
  tx: Queryable,
  tenantId: string,
  modelId: string,
  vectors: readonly VectorRow[],
): Promise<void> {
  if (vectors.length === 0) return;
  await tx.query({
    name: 'documents-insert-vectors',
    text: `
      insert into public.vector_ledger (tenant_id, model_id, text_hash, embedding, bits)
      select $1, $2, v.hash, v.embedding, v.bits::varbit
      from unnest($3::bytea[], $4::bytea[], $5::text[]) as v (hash, embedding, bits)
      order by v.hash
      on conflict do nothing`,
    values: [
      tenantId,
      modelId,
      vectors.map(({ hash }) => hash),
      vectors.map(({ embedding }) => embedding),
      vectors.map(({ bits }) => bits),
    ],
  });
}

/** A purge finds them by this when their run has failed and its passages are gone. */
export async function recordTexts(
  tx: Queryable,
  tenantId: string,
  docId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  if (hashes.length === 0) return;
  await tx.query({
    name: 'documents-record-texts',
    text: `
      insert into public.embedded_texts (tenant_id, doc_id, text_hash)
      select $1, $2, h.text_hash from unnest($3::bytea[]) as h (text_hash)
      order by h.text_hash
      on conflict do nothing`,
    values: [tenantId, docId, hashes],
  });
}
