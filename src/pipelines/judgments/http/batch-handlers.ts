// POST /v1/batches: a file becomes a batch, or the answer says which run has it already. With `corrects` it brings refused rows back. The
// other operations of the judgments pipeline are assembled here.
import type { z } from 'zod';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { BatchFields } from '../../../contract/pipelines/judgments/api.ts';
import type { Engine } from '../../../engine/engine.ts';
import { type Handlers, handle } from '../../../http/call.ts';
import { engineOf } from '../../../http/engine-of.ts';
import { correctedRun, requireReturnedRun } from '../../../http/reject-tools/returned-run.ts';
import { acceptUpload, onlyFor } from '../../../http/uploads/accept-upload.ts';
import { defaultUploadLimits, type UploadLimits } from '../../../http/uploads/upload-limits.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import type { Log } from '../../../platform/log.ts';
import type { Accepted, Intake, IntakeRequest } from '../../../sources/intake.ts';
import { sniffTableFile } from '../../../tabular/content/table-file.ts';
import { type AcceptedBatch, acceptBatch } from '../accept-batch.ts';
import { batchIdOf, DEFAULT_VENDOR, placedBatchId } from '../batch-id.ts';
import { parsePolicies } from '../column-policy.ts';
import { JudgmentsInput } from '../input.ts';
import { findBatchOfRun } from '../sql/find-batch.ts';
import { checkBatches } from './batch-checks.ts';
import { batchReadingHandlers } from './batch-reading.ts';
import { listBatches } from './list-batches.ts';
import { listJudgments } from './list-judgments.ts';
import { listPlaintiffs, splitPlaintiff } from './plaintiffs.ts';
import { removeBatch } from './remove-batch.ts';
import { decideReviews, listReviews } from './reviews.ts';
import { showBatch } from './show-batch.ts';

export interface BatchHandlerDeps {
  readonly store: BlobStore;
  readonly limits?: UploadLimits;
}

type Fields = z.output<typeof BatchFields>;
type BatchIntake = Intake<typeof BatchFields, Accepted & AcceptedBatch>;

export function batchHandlers({ store, limits = defaultUploadLimits }: BatchHandlerDeps): Handlers {
  return {
    ...batchReadingHandlers({ store }),
    ...createBatch(store, limits),
    ...listBatches,
    ...checkBatches,
    ...showBatch,
    ...removeBatch,
    ...listJudgments,
    ...listPlaintiffs,
    ...splitPlaintiff,
    ...listReviews,
    ...decideReviews,
  };
}

export function judgmentsIntake(engine: Engine, log: Log): BatchIntake {
  return {
    title: 'A batch of court judgments',
    accepts: ['csv', 'tsv', 'txt', 'json', 'ndjson', 'xlsx'],
    fields: BatchFields,
    sniff: sniffTableFile,
    /** The word after the pipeline's name is the vendor. */
    folderFields: (word) => (word === undefined ? {} : { vendor: word }),
    async check({ tenantId, fields }) {
      if (fields.workspace_id !== undefined && fields.workspace_id !== tenantId)
        throw new MillraceError('workspace_mismatch', { given: fields.workspace_id });
      await returnOf(engine, tenantId, fields);
    },
    async accept(request) {
      try {
        const batch = await acceptBatch({ engine, log }, await requestOf(engine, request));
        return { ...batch, created: batch.outcome === 'accepted' };
      } catch (error) {
        throw request.sourceId === undefined ? error : asRefusal(error, request);
      }
    },
  };
}

async function requestOf(engine: Engine, request: IntakeRequest<Fields>) {
  const { tenantId, fields, file, createdBy, correlationId, sourceId, hold } = request;
  return {
    tenantId,
    file,
    sourceBatchId: givenIdOf(request),
    vendor: fields.vendor,
    supersede: fields.supersede === 'true',
    corrects: await returnOf(engine, tenantId, fields),
    policies: parsePolicies(fields.policy ?? ''),
    nullToken: fields.null_token,
    onDoubt: fields.on_doubt,
    createdBy,
    correlationId,
    sourceId,
    hold,
  };
}

/** What an object of a source lies at is its id. Left out: made from the name of the file. */
function givenIdOf({ fields, origin }: IntakeRequest<Fields>): string | undefined {
  if (fields.source_batch_id !== undefined || origin === undefined) return fields.source_batch_id;
  return placedBatchId(fields.vendor ?? DEFAULT_VENDOR, origin.uri);
}

/** What the former batch of this id is now, and need not stay. */
const passing: ReadonlySet<string> = new Set(['batch_still_running', 'batch_failed_before']);

/** To a person at a keyboard it is a conflict; a file in a folder is refused for good, or it would be tried for ever. */
function asRefusal(error: unknown, request: IntakeRequest<Fields>): unknown {
  if (!(error instanceof MillraceError) || error.kind !== 'conflict') return error;
  const { fields, file, origin } = request;
  // A connected source asks again with its next sync, and by then it may be otherwise.
  if (origin !== undefined && passing.has(error.code)) return error;
  const batch = batchIdOf(givenIdOf(request), fields.vendor ?? DEFAULT_VENDOR, file.originalName);
  return new MillraceError('batch_file_refused', { batch, reason: error.message }, { cause: error });
}

function createBatch(store: BlobStore, limits: UploadLimits): Handlers {
  return handle('batches.create', async (call) => {
    const { app, principal, origin, request, reply } = call;
    const { tenantId } = principal;
    const engine = engineOf(call);
    const { control } = engine.pools;
    const { answer, sameBytesAs } = await acceptUpload(
      { store, pool: app.pool, control, limits },
      request,
      {
        tenantId,
        createdBy: principal.kind === 'user' ? principal.actorId : undefined,
        correlationId: origin.correlationId ?? undefined,
      },
      onlyFor(judgmentsIntake(engine, app.log)),
    );
    const { created: isNew, runId, sourceBatchId, status, outcome, reason, supersedes } = answer;
    call.trail.acted({ target: runId, data: { outcome } });
    reply.code(isNew ? 202 : 200);
    const twin = isNew && sameBytesAs !== undefined ? await findBatchOfRun(control, tenantId, sameBytesAs) : undefined;
    return {
      run_id: runId,
      source_batch_id: sourceBatchId,
      status,
      outcome,
      ...(reason === undefined ? {} : { reason }),
      ...(supersedes === undefined ? {} : { supersedes }),
      ...(twin === undefined ? {} : { same_bytes_as: twin }),
    };
  });
}

/** Corrected rows go back as their batch was uploaded, so the upload cannot set those fields. */
const settled = ['source_batch_id', 'vendor', 'supersede', 'policy', 'null_token'] as const;

async function returnOf(engine: Engine, tenantId: string, fields: Fields) {
  const runId = correctedRun(fields);
  if (runId === undefined) return undefined;
  const given = settled.filter((name) => fields[name] !== undefined);
  if (given.length > 0)
    throw new MillraceError('upload_fields_invalid', {
      faults: `${given.join(', ')}: known from the run that corrects names`,
    });
  const run = await requireReturnedRun(engine, tenantId, runId, 'judgments');
  return { runId, input: JudgmentsInput.parse(run.input) };
}
