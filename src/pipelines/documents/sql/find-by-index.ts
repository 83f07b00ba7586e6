// Vectors with pgvector: the nearest signatures by an HNSW index over bits, one per model (db/migrations/0380_vector_index.sql).
import { createHash } from 'node:crypto';
import type { Queryable } from '../../../platform/database.ts';
import { type AskedBits, gathered, type HowMany, type PassageVectors, readNearest } from './find-by-bits.ts';

export function nameOfIndex(modelId: string): string {
  return `chunk_signatures_near_${createHash('md5').update(modelId).digest('hex').slice(0, 8)}`;
}

/** And the operator that uses it can be seen from here. */
export async function hasIndex(db: Queryable, modelId: string): Promise<boolean> {
  const { rows } = await db.query<{ has: boolean }>({
    name: 'search-has-index',
    text: `
      select exists (select from pg_class c join pg_index i on i.indexrelid = c.oid
                     where c.relnamespace = 'public'::regnamespace and c.relname = $1 and i.indisvalid)
             and to_regoperator('<~>(bit,bit)') is not null as has`,
    values: [nameOfIndex(modelId)],
  });
  return rows[0]?.has === true;
}

/** Makes the index of a model where the server can and nobody waits long. As documents_models. */
export async function makeIndex(
  db: Queryable,
  modelId: string,
  dims: number,
): Promise<'absent' | 'there' | 'large' | 'made' | undefined> {
  const { rows } = await db.query<{ outcome: 'absent' | 'there' | 'large' | 'made' }>({
    name: 'search-make-index',
    text: `select public.index_signatures($1, $2) as outcome`,
    values: [modelId, dims],
  });
  return rows[0]?.outcome;
}

/**
 * The scan goes on until enough rows of the tenant were met (S4-12); what a tenant may see is decided behind the index. The model must be
 * known when the plan is made, or its index is none of the choices.
 */
export async function findByIndex(
  db: Queryable,
  of: { readonly tenantId: string; readonly modelId: string; readonly dims: number },
  { signs, planes }: AskedBits,
  { met, read }: HowMany,
): Promise<PassageVectors> {
  const width = Math.trunc(of.dims);
  await scanAs(db, 'off', 'force_custom_plan', met);
  const { rows } = await db.query<Parameters<typeof gathered>[0] & object>({
    name: `search-find-by-index-${width}`,
    text: `
      with met as materialized (
        select s.chunk_id, s.passage_no, s.bits
        from public.chunk_signatures s
        where s.tenant_id = $1 and s.model_id = $2
        order by (s.bits::bit(${width})) <~> $3::bit(${width})
        limit $4
      ), ${readNearest}`,
    values: [of.tenantId, of.modelId, signs, met, ...planes, read],
  });
  await scanAs(db, 'on', 'auto', met);
  return gathered(rows[0]);
}

/** A longer scan than this is one for the exact way. */
const MOST_SCANNED = 100_000;
const MOST_AT_ONCE = 1_000;

async function scanAs(db: Queryable, sort: 'on' | 'off', plans: string, limit: number): Promise<void> {
  await db.query({
    name: 'search-scan-as',
    text: `select set_config('enable_sort', $1, true), set_config('plan_cache_mode', $2, true), set_config('hnsw.ef_search', $3, true),
                  set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.max_scan_tuples', $4, true)`,
    values: [sort, plans, String(Math.min(MOST_AT_ONCE, limit)), String(MOST_SCANNED)],
  });
}
