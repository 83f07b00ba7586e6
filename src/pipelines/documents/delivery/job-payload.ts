// The job payload of the specification, the same over HTTP and on a queue. It names a run; what a worker does is decided by the ledger, so
// everything in a payload that the ledger knows must be as the ledger has it.
import { z } from 'zod';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { findBlob } from '../../../engine/blobs/blobs.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { RunRow } from '../../../engine/reads/run-columns.ts';
import { parseBlobKey } from '../../../platform/blob/blob-key.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import type { ModelFacts } from '../embedding/embedder.ts';
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
  readonly facts: Pick<ModelFacts, 'name' | 'dims'>;
}

/** Undefined when the bytes of the run are gone. */
export async function buildPayload(
  { engine, store, facts }: PayloadDeps,
  run: RunRow,
  delivery: number,
): Promise<JobPayload | undefined> {
  const input = run.input as unknown as DocumentInput;
  const blob = run.blob_id === null ? undefined : await findBlob(engine.pools.control, run.blob_id);
  if (blob === undefined) return undefined;
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
    embedding_model: facts.name,
    embedding_dim: facts.dims,
    submitted_at: run.created_at.toISOString(),
    delivery,
  };
}

/** The run that a payload names. Throws `job_payload_invalid` unless payload, ledger and store say the same. */
export async function runOfPayload(deps: PayloadDeps, given: unknown): Promise<RunRow> {
  const parsed = JobPayload.safeParse(given);
  if (!parsed.success)
    throw refused(`it is no job payload (${parsed.error.issues.map(({ path }) => path.join('.')).join(', ')})`);
  const payload = parsed.data;
  const run = await deps.engine.findRun(payload.run_id);
  if (run === undefined || run.pipeline !== 'documents') throw refused('the ledger has no such run');
  const wanted = await buildPayload(deps, run, 1);
  const same = ['tenant_id', 'doc_id', 'content_hash'] as const;
  const input = run.input as unknown as DocumentInput;
  const known = { tenant_id: run.tenant_id, doc_id: input.doc_id, content_hash: input.content_hash };
  const other = same.filter((field) => known[field] !== payload[field]);
  if (other.length > 0) throw refused(`${other.join(', ')} differ from the ledger`);
  const { name, dims } = deps.facts;
  if (payload.embedding_model !== name || payload.embedding_dim !== dims)
    throw refused(`embedding_model is not the one of this worker, ${name} with ${dims} dimensions`);
  if (deps.store.keyOf(payload.upload_uri) === undefined) throw refused('upload_uri is outside the store');
  if (wanted !== undefined && wanted.upload_uri !== payload.upload_uri)
    throw refused('upload_uri is not the file of the run');
  return run;
}

function refused(reason: string): MillraceError {
  return new MillraceError('job_payload_invalid', { reason });
}
