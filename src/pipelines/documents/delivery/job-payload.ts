// The job payload of the specification, the same over HTTP and on a queue. It names a run; what a worker does is decided by the ledger, so
// everything in a payload that the ledger knows must be as the ledger has it.
import { z } from 'zod';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { findBlob } from '../../../engine/blobs/blobs.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { RunRow } from '../../../engine/reads/run-columns.ts';
import { parseBlobKey } from '../../../platform/blob/blob-key.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import { withTenant } from '../../../platform/database.ts';
import type { ModelFacts } from '../embedding/embedder.ts';
import type { Embedders } from '../embedding/model-catalogue.ts';
import { readTenantEmbedders } from '../embedding/tenant-embedders.ts';
import type { DocumentInput } from '../input.ts';

export const JobPayload = z.object({
  job_type: z.literal('upload_ingest'),
  run_id: z.uuid(),
  doc_id: z.uuid(),
  tenant_id: z.uuid(),
  upload_uri: z.string().max(4_096),
  title: z.string(),
  source_type: z.string(),
  source_uri: z.string(),
  original_filename: z.string(),
  content_hash: z.string(),
  embedding_model: z.string(),
  embedding_dim: z.int().min(0),
  submitted_at: z.string(),
  /** How often the run has been sent, this time included. */
  delivery: z.int().min(1).optional(),
});
export type JobPayload = z.infer<typeof JobPayload>;

export interface PayloadDeps {
  readonly engine: Engine;
  readonly store: BlobStore;
  readonly embedders: Pick<Embedders, 'embedder'> & Partial<Embedders>;
}

/** Undefined when the bytes of the run are gone. */
export async function buildPayload(deps: PayloadDeps, run: RunRow, delivery: number): Promise<JobPayload | undefined> {
  const { engine, store } = deps;
  const input = run.input as unknown as DocumentInput;
  const blob = run.blob_id === null ? undefined : await findBlob(engine.pools.control, run.blob_id);
  if (blob === undefined) return undefined;
  const [active] = await modelsOf(deps, run.tenant_id);
  return {
    job_type: 'upload_ingest',
    run_id: run.id,
    doc_id: input.doc_id,
    tenant_id: run.tenant_id,
    upload_uri: store.uriOf(parseBlobKey(blob.store_key)),
    title: input.title,
    source_type: input.source_type,
    source_uri: input.source_uri,
    original_filename: input.original_filename,
    content_hash: input.content_hash,
    embedding_model: active.name,
    embedding_dim: active.dims,
    submitted_at: run.created_at.toISOString(),
    delivery,
  };
}

/** The run that a payload names. Throws `job_payload_invalid` unless payload, ledger and store say the same. */
export async function runOfPayload(deps: PayloadDeps, given: unknown): Promise<RunRow> {
  const parsed = JobPayload.safeParse(given);
  if (!parsed.success)
    throw refused(`it is not a job payload (${parsed.error.issues.map(({ path }) => path.join('.')).join(', ')})`);
  const payload = parsed.data;
  const run = await deps.engine.findRun(payload.run_id);
  if (run === undefined || run.pipeline !== 'documents') throw refused('the ledger has no such run');
  const wanted = await buildPayload(deps, run, 1);
  const same = ['tenant_id', 'doc_id', 'content_hash'] as const;
  const input = run.input as unknown as DocumentInput;
  const known = { tenant_id: run.tenant_id, doc_id: input.doc_id, content_hash: input.content_hash };
  const other = same.filter((field) => known[field] !== payload[field]);
  if (other.length > 0) throw refused(`${other.join(', ')} differ from the ledger`);
  const models = await modelsOf(deps, run.tenant_id);
  if (!models.some(({ name, dims }) => payload.embedding_model === name && payload.embedding_dim === dims)) {
    const ours = models.map(({ name, dims }) => `${name} with ${dims} dimensions`).join(', ');
    throw refused(`embedding_model is none that this worker makes vectors of for the tenant: ${ours}`);
  }
  if (deps.store.keyOf(payload.upload_uri) === undefined) throw refused('upload_uri is outside the store');
  if (wanted !== undefined && wanted.upload_uri !== payload.upload_uri)
    throw refused('upload_uri is not the file of the run');
  return run;
}

/** The active model of the tenant, then those beside it: it may have changed since the job was sent. */
function modelsOf({ engine, embedders }: PayloadDeps, tenantId: string): Promise<[ModelFacts, ...ModelFacts[]]> {
  return withTenant(engine.pools.control, { tenantId, role: 'documents_worker' }, async (tx) => {
    const { main, beside } = await readTenantEmbedders(tx, tenantId, embedders);
    return [main.facts, ...beside.map(({ facts }) => facts)];
  });
}

function refused(reason: string): MillraceError {
  return new MillraceError('job_payload_invalid', { reason });
}
