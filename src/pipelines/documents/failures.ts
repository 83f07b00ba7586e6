// What every document run that failed leaves behind, whatever failed it and wherever: a refused file, a provider, a lost worker, a person, a delivery. A
// reader of the outbox takes its half-built version away, keeps its file for UPLOAD_FAILED_TTL_DAYS and writes the line that says the job is over.
import type { Engine } from '../../engine/engine.ts';
import type { RunRow } from '../../engine/reads/run-columns.ts';
import { readCheckpoint } from '../../engine/sql/checkpoints.ts';
import type { FeedRow } from '../../engine/sql/event-feed.ts';
import { enterTenant, type Queryable, withTenant } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Consumer } from '../kit.ts';
import type { DocumentInput } from './input.ts';
import { freshState, type ProcessState } from './process-state.ts';
import { keepBlobUntil } from './sql/keep-blob.ts';
import { keepSession } from './sql/keep-session.ts';
import { deleteVersionOfRun } from './sql/versions.ts';

export interface FailuresDeps {
  readonly engine: Engine;
  readonly log: Log;
  readonly failedTtlDays: number;
}

export function failuresConsumer(deps: FailuresDeps): Consumer {
  return {
    name: 'documents failures',
    async apply(tx: Queryable, events: readonly FeedRow[]): Promise<void> {
      for (const { type, data, run_id: runId } of events) {
        if (type !== 'run.failed' || data.pipeline !== 'documents' || runId === null) continue;
        const run = await deps.engine.findRun(runId);
        if (run !== undefined) await clearUp(tx, deps, run);
      }
    },
  };
}

async function clearUp(tx: Queryable, deps: FailuresDeps, run: RunRow): Promise<void> {
  const { log, failedTtlDays } = deps;
  const { id, tenant_id: tenantId, blob_id: blobId } = run;
  const state = ((await readCheckpoint(tx, id, 'process', '')) ?? freshState('')) as ProcessState;
  await keepSession(tx, () => removeContent(deps, run));
  await enterTenant(tx, { tenantId, role: 'documents_worker' });
  if (blobId !== null) await keepBlobUntil(tx, blobId, failedTtlDays);
  await enterTenant(tx, { tenantId: '', role: 'millrace_engine' });
  const { created_at: createdAt, started_at: startedAt, finished_at: finishedAt } = run;
  log.info(
    {
      ts: new Date(),
      event: 'ingest_job_complete',
      run_id: id,
      tenant_id: tenantId,
      doc_id: (run.input as unknown as DocumentInput).doc_id,
      status: 'failed',
      error_code: run.error_code,
      chunks_created: 0,
      tokens_total: 0,
      duration_ms: millisecondsBetween(startedAt, finishedAt),
      queue_wait_ms: millisecondsBetween(createdAt, startedAt ?? finishedAt),
      stages: state.timings,
    },
    'ingest_job_complete',
  );
}

/**
 * In a transaction of its own: a large one takes long, and one that cannot be removed now holds up no other run. The clean-up of half-built versions
 * takes it some days later.
 */
async function removeContent({ engine, log }: FailuresDeps, { id, tenant_id: tenantId }: RunRow): Promise<void> {
  const session = { tenantId, role: 'documents_worker' };
  await withTenant(engine.pools.effects, session, (tx) => deleteVersionOfRun(tx, tenantId, id)).catch(
    (error: unknown) => log.warn({ run_id: id, err: error }, 'what a failed document run left is removed later'),
  );
}

/** 0: one of them never was. */
function millisecondsBetween(from: Date | null, to: Date | null): number {
  return from === null || to === null ? 0 : to.getTime() - from.getTime();
}
