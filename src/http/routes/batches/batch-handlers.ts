// POST /v1/batches: a file becomes a batch, or the answer says which run has it already. With `retry_of` it brings refused rows back.

import type { z } from 'zod';
import { BatchFields } from '../../../contract/api/judgments.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { discardFile } from '../../../engine/blobs/blobs.ts';
import type { Engine } from '../../../engine/engine.ts';
import { acceptBatch } from '../../../pipelines/judgments/accept-batch.ts';
import { parsePolicies } from '../../../pipelines/judgments/column-policy.ts';
import { JudgmentsInput } from '../../../pipelines/judgments/input.ts';
import { findBatchOfRun } from '../../../pipelines/judgments/sql/find-batch.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import { sniffTableFile } from '../../../tabular/content/table-file.ts';
import { type Handlers, handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import { requireReturnedRun } from '../../rejects/returned-run.ts';
import { acceptUpload } from '../../uploads/accept-upload.ts';
import { defaultUploadLimits, type UploadLimits } from '../../uploads/upload-limits.ts';
import { batchReadingHandlers } from './reading.ts';

export interface BatchHandlerDeps {
  readonly store: BlobStore;
  readonly limits?: UploadLimits;
}

export function batchHandlers({ store, limits = defaultUploadLimits }: BatchHandlerDeps): Handlers {
  return { ...batchReadingHandlers({ store }), ...createBatch(store, limits) };
}

function createBatch(store: BlobStore, limits: UploadLimits): Handlers {
  return handle('batches.create', async (call) => {
    const { app, principal, origin, request, reply } = call;
    const { tenantId } = principal;
    const engine = engineOf(call);
    const { control } = engine.pools;
    const createdBy = principal.kind === 'user' ? principal.actorId : undefined;
    const { run, file, sameBytesAs } = await acceptUpload(
      { store, app: app.pool, engine: control, limits },
      request,
      { tenantId, userId: createdBy },
      {
        sniff: sniffTableFile,
        fields: BatchFields,
        async check(fields) {
          if (fields.workspace_id !== undefined && fields.workspace_id !== tenantId)
            throw new MillraceError('workspace_mismatch', { given: fields.workspace_id });
          await returnOf(engine, tenantId, fields);
        },
        enqueue: async ({ fields, file: stored }) =>
          acceptBatch(
            { engine, log: app.log },
            {
              tenantId,
              file: stored,
              sourceBatchId: fields.source_batch_id,
              vendor: fields.vendor,
              supersede: fields.supersede === 'true',
              corrects: await returnOf(engine, tenantId, fields),
              policies: parsePolicies(fields.policy ?? ''),
              nullToken: fields.null_token,
              createdBy,
              correlationId: origin.correlationId ?? undefined,
            },
          ),
      },
    );
    const isNew = run.outcome === 'accepted';
    // A skipped file's bytes are there already, under the run that is named.
    if (!isNew) await discardFile(control, store, file);
    reply.code(isNew ? 202 : 200);
    const twin = isNew && sameBytesAs !== undefined ? await findBatchOfRun(control, tenantId, sameBytesAs) : undefined;
    return {
      run_id: run.runId,
      source_batch_id: run.sourceBatchId,
      status: run.status,
      outcome: run.outcome,
      ...(run.reason === undefined ? {} : { reason: run.reason }),
      ...(run.supersedes === undefined ? {} : { supersedes: run.supersedes }),
      ...(twin === undefined ? {} : { same_bytes_as: twin }),
    };
  });
}

/** Corrected rows go back as their batch was handed in, so nothing of that can be said anew. */
const settled = ['source_batch_id', 'vendor', 'supersede', 'policy', 'null_token'] as const;

async function returnOf(engine: Engine, tenantId: string, fields: z.output<typeof BatchFields>) {
  const { retry_of: runId } = fields;
  if (runId === undefined) return undefined;
  const given = settled.filter((name) => fields[name] !== undefined);
  if (given.length > 0)
    throw new MillraceError('upload_fields_invalid', {
      faults: `${given.join(', ')}: known from the run that retry_of names`,
    });
  const run = await requireReturnedRun(engine, tenantId, runId, 'judgments');
  return { runId, input: JudgmentsInput.parse(run.input) };
}
