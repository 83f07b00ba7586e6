// A claimed row of the ledger as the stage that works on it sees it.
import type { Failures } from './retry-policy.ts';
import type { ClaimedRow } from './sql/claim-runs.ts';
import type { StageRun } from './stage-context.ts';

/** Of a run that has had none: one object, so that it is known without a look into it. */
export const noFailures: Failures = {};

/** `isShared`: left out, what the row says. */
export function stageRunOf(row: ClaimedRow, stage: string, isShared = row.shared ?? (row.part ?? '') !== ''): StageRun {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    pipeline: row.pipeline,
    stage,
    status: row.status,
    part: row.part ?? '',
    attempt: row.attempt,
    workerId: row.worker_id,
    isShared,
    lane: row.lane,
    blobId: row.blob_id,
    retryOf: row.retry_of,
    correlationId: row.correlation_id,
    createdBy: row.created_by,
    createdAt: new Date(row.created_ms),
    ageAtClaimMs: row.age_ms,
    failures: row.failures ?? noFailures,
  };
}
