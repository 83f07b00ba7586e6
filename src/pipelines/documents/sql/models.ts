// The models of a tenant as its admin sees and changes them.
import type { Queryable } from '../../../platform/database.ts';
import type { ModelFacts } from '../embedding/embedder.ts';

export interface ModelRow {
  readonly model_id: string;
  readonly name: string;
  readonly provider: ModelFacts['provider'];
  readonly dims: number;
  readonly max_tokens: number;
  readonly state: 'building' | 'ready' | 'active' | 'retired';
  readonly is_due: boolean;
  readonly is_building: boolean;
  readonly passages: number;
  readonly embedded: number;
  readonly reused: number;
  readonly trouble: string | null;
  readonly next_try_at: Date | null;
  readonly created_at: Date;
  readonly ready_at: Date | null;
  readonly activated_at: Date | null;
  readonly deactivated_at: Date | null;
  readonly vectors: number;
}

export async function listModels(db: Queryable, tenantId: string): Promise<ModelRow[]> {
  const { rows } = await db.query<ModelRow>({
    name: 'documents-list-models',
    text: `
      select m.model_id, m.name, m.provider, m.dims, m.max_tokens, m.state, m.is_due, m.build_version is not null as is_building,
             m.passages, m.embedded, m.reused, m.trouble, m.next_try_at, m.created_at, m.ready_at, m.activated_at, m.deactivated_at,
             (select count(*) from public.chunk_embeddings e where e.tenant_id = $1 and e.model_id = m.model_id) as vectors
      from public.embedding_models m
      where m.tenant_id = $1
      order by m.created_at, m.model_id`,
    values: [tenantId],
  });
  return rows;
}

export async function countServedPassages(db: Queryable, tenantId: string): Promise<number> {
  const { rows } = await db.query<{ passages: number }>({
    name: 'documents-count-served-passages',
    text: `
      select coalesce(sum(v.passage_count), 0)::bigint as passages from public.document_versions v
      where v.tenant_id = $1 and v.is_active`,
    values: [tenantId],
  });
  return rows[0]?.passages ?? 0;
}

/** Waits for versions that are being served at this moment; those that come later know of the change. */
export async function lockModels(tx: Queryable, tenantId: string): Promise<void> {
  await tx.query({
    name: 'documents-lock-models',
    text: `select pg_advisory_xact_lock(hashtextextended($1, 300))`,
    values: [tenantId],
  });
}

/** A model that is there and in use stays as it is. */
export async function addModel(tx: Queryable, tenantId: string, facts: ModelFacts): Promise<void> {
  await tx.query({
    name: 'documents-add-model',
    text: `
      insert into public.embedding_models as m (tenant_id, model_id, name, provider, dims, max_tokens, state, is_due)
      values ($1, $2, $3, $4, $5, $6, 'building', true)
      on conflict (tenant_id, model_id) do update
      set state = 'building', is_due = true, build_version = null, build_position = 0, passages = 0, embedded = 0, reused = 0,
          trouble = null, tries = 0, next_try_at = null, part_at = null, ready_at = null, deactivated_at = null, retired_at = null,
          created_at = engine.now()
      where m.state = 'retired'`,
    values: [tenantId, facts.modelId, facts.name, facts.provider, facts.dims, facts.maxTokens],
  });
}

/** Makes a ready model the active one. False: it is not ready. The caller holds the lock. */
export async function activateModel(tx: Queryable, tenantId: string, modelId: string): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'documents-is-model-ready',
    text: `
      select from public.embedding_models m
      where m.tenant_id = $1 and m.model_id = $2 and m.state = 'ready' and not m.is_due and m.build_version is null
      for update`,
    values: [tenantId, modelId],
  });
  if (rows.length === 0) return false;
  await tx.query({
    name: 'documents-deactivate-model',
    text: `
      update public.embedding_models m set state = 'ready', deactivated_at = engine.now(), ready_at = coalesce(m.ready_at, m.created_at)
      where m.tenant_id = $1 and m.state = 'active'`,
    values: [tenantId],
  });
  await tx.query({
    name: 'documents-activate-model',
    text: `
      update public.embedding_models m set state = 'active', activated_at = engine.now()
      where m.tenant_id = $1 and m.model_id = $2`,
    values: [tenantId, modelId],
  });
  return true;
}

/** The model that was active last. */
export async function findPreviousModel(db: Queryable, tenantId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ model_id: string }>({
    name: 'documents-find-previous-model',
    text: `
      select m.model_id from public.embedding_models m
      where m.tenant_id = $1 and m.state = 'ready' and m.deactivated_at is not null
      order by m.deactivated_at desc
      limit 1`,
    values: [tenantId],
  });
  return rows[0]?.model_id;
}

/** Its vectors are taken away by a service. False: it is active, or not there. */
export async function retireModel(tx: Queryable, tenantId: string, modelId: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'documents-retire-model',
    text: `
      update public.embedding_models m
      set state = 'retired', is_due = true, build_version = null, build_position = 0, trouble = null, next_try_at = null,
          deactivated_at = null, retired_at = engine.now()
      where m.tenant_id = $1 and m.model_id = $2 and m.state in ('building', 'ready')`,
    values: [tenantId, modelId],
  });
  return rowCount === 1;
}
