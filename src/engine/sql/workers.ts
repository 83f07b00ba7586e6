// The registry of workers: one row per incarnation, the only heartbeat there is.
import type { Queryable } from '../../platform/database.ts';
import type { WorkerSigns } from '../vitals.ts';
import type { ClaimedRow } from './claim-runs.ts';

export interface WorkerRow {
  readonly workerId: string;
  readonly name: string;
  readonly pid: number;
  readonly host: string;
  readonly version: string;
  readonly pipelines: readonly string[];
  readonly concurrency: number;
}

export async function registerWorker(db: Queryable, worker: WorkerRow, leaseMs: number): Promise<void> {
  await db.query({
    name: 'engine-register-worker',
    text: `
      insert into engine.workers (worker_id, name, pid, host, version, pipelines, concurrency, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, engine.now() + $8 * interval '1 millisecond')`,
    values: [
      worker.workerId,
      worker.name,
      worker.pid,
      worker.host,
      worker.version,
      worker.pipelines,
      worker.concurrency,
      leaseMs,
    ],
  });
}

/** False when the worker has been declared lost meanwhile: its runs are no longer its own. */
export async function renewWorker(
  db: Queryable,
  workerId: string,
  leaseMs: number,
  signs: WorkerSigns,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'engine-renew-worker',
    text: `
      update engine.workers
      set heartbeat_at = engine.now(), expires_at = engine.now() + $2 * interval '1 millisecond',
          last_end_at = coalesce(engine.now() - $3 * interval '1 millisecond', last_end_at), ends_waiting = $4,
          oldest_end_at = engine.now() - $5 * interval '1 millisecond'
      where worker_id = $1 and ended_at is null`,
    values: [workerId, leaseMs, signs.lastEndAgoMs, signs.endsWaiting, signs.oldestEndMs],
  });
  return rowCount === 1;
}

export async function endWorker(db: Queryable, workerId: string): Promise<void> {
  await db.query({
    name: 'engine-end-worker',
    text: `
      update engine.workers set ended_at = engine.now(), end_reason = 'stopped'
      where worker_id = $1 and ended_at is null
        and not exists (select from engine.leases where worker_id = $1)`,
    values: [workerId],
  });
}

/** Runs this worker holds. Asked after a claim whose answer was lost, so that no run stays leased to nobody. */
export async function leasesOf(db: Queryable, workerId: string): Promise<ClaimedRow[]> {
  const { rows } = await db.query<ClaimedRow>({
    name: 'engine-leases-of',
    text: `
      select r.id, r.tenant_id, r.pipeline, r.status, r.lane, r.priority, l.attempt, l.part, l.worker_id, r.input, nullif(r.failures, '{}') as failures, r.blob_id,
             r.retry_of, r.correlation_id, r.created_by,
             date_part('epoch', r.created_at) * 1000 as created_ms, date_part('epoch', engine.now() - r.created_at) * 1000 as age_ms
      from engine.leases l
      join engine.runs r on r.id = l.run_id
      where l.worker_id = $1`,
    values: [workerId],
  });
  return rows;
}
