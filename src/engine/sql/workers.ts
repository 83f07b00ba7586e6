// The registry of workers: one row per incarnation, which is also its heartbeat.
import type { Queryable } from '../../platform/database.ts';
import type { WorkerSigns } from '../vitals.ts';
import type { ClaimedRow } from './claim-runs.ts';

/**
 * What a worker of this version knows of the schema. Raised, together with the triggers on engine.workers, by a migration that a worker of
 * the version before must not work under.
 */
export const PROTOCOL = 3;

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
      insert into engine.workers (worker_id, name, pid, host, version, pipelines, concurrency, expires_at, protocol)
      values ($1, $2, $3, $4, $5, $6, $7, engine.now() + $8 * interval '1 millisecond', ${PROTOCOL})`,
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

export interface HeldLease {
  readonly run_id: string;
  readonly part: string;
  readonly attempt: number;
  readonly cancel_requested_by: string | null;
}

/** What this worker holds, by the database's account. */
export async function leasesOf(db: Queryable, workerId: string): Promise<HeldLease[]> {
  const { rows } = await db.query<HeldLease>({
    name: 'engine-leases-of',
    text: `
      select l.run_id, l.part, l.attempt, r.cancel_requested_by
      from engine.leases l
      left join lateral (
        select case when cancel_requested_at is not null then cancel_requested_by end as cancel_requested_by
        from engine.runs where id = l.run_id limit 1
      ) r on true
      where l.worker_id = $1`,
    values: [workerId],
  });
  return rows;
}

/** The same as claimed rows, for those of these runs that the worker holds. */
export async function claimedLeases(db: Queryable, workerId: string, runIds: readonly string[]): Promise<ClaimedRow[]> {
  const { rows } = await db.query<ClaimedRow>({
    name: 'engine-claimed-leases',
    text: `
      select r.id, r.tenant_id, r.pipeline, r.status, r.lane, r.priority, l.attempt, l.part, l.worker_id,
             exists (select from engine.parts p where p.run_id = l.run_id) as shared, null as input, nullif(r.failures, '{}') as failures, r.blob_id, r.retry_of,
             r.correlation_id, r.created_by,
             date_part('epoch', r.created_at) * 1000 as created_ms, date_part('epoch', engine.now() - r.created_at) * 1000 as age_ms
      from engine.leases l
      join engine.runs r on r.id = l.run_id
      where l.run_id = any ($2::uuid[]) and (l.worker_id = $1) is true`,
    values: [workerId, runIds],
  });
  return rows;
}

export interface BegunLease {
  readonly id: string;
  readonly part: string;
  readonly attempt: number;
}

/**
 * These have begun: a loss will be charged to them. A lease under an effects transaction is passed over; its commit will say the same.
 */
export async function markBegun(db: Queryable, leases: readonly BegunLease[]): Promise<void> {
  await db.query({
    name: 'engine-mark-begun',
    text: `
      update engine.leases
      set began = true
      where ctid = any (array(
        select held.at
        from unnest($1::uuid[], $2::text[], $3::int[]) as g (run_id, part, attempt)
        cross join lateral (
          select l.ctid as at from engine.leases l
          where l.run_id = g.run_id and l.part = g.part and l.attempt = g.attempt and not l.began
          limit 1
          for update skip locked
        ) held
      ))`,
    values: [leases.map((lease) => lease.id), leases.map((lease) => lease.part), leases.map((lease) => lease.attempt)],
  });
}
