// What a person or program may do to a run from outside. Lock order as everywhere: queue row or lease first, then ledger.
// Every statement names the tenant, so that a foreign id finds nothing.
import type { Queryable } from '../../platform/database.ts';
import { cancelEventOf } from './cancel-event.ts';
import { endedColumns, endIsTold, leavesQueue } from './ending-waiting-runs.ts';
import { isSuspect } from './suspects.ts';

/** Takes a waiting run out of the queue and marks it held. */
export async function holdRun(db: Queryable, tenantId: string, runId: string, by: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'engine-hold-run',
    text: `
      with wanted as (
        select id, pipeline, lane, priority from engine.runs where id = $2 and tenant_id = $1 and phase = 'waiting' and held_at is null
      ), ${leavesQueue}
      update engine.runs r
      set held_at = engine.now(), held_by = $3, updated_at = engine.now()
      from (select run_id from unqueued union all select run_id from unplanned) taken
      where r.id = taken.run_id`,
    values: [tenantId, runId, by],
  });
  return rowCount === 1;
}

/** Back into the queue at once; a retry that was planned for later is due now. A run that asked goes on only with an answer. */
export async function resumeRun(
  db: Queryable,
  tenantId: string,
  runId: string,
  { isAsked }: { readonly isAsked: boolean } = { isAsked: false },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'engine-resume-run',
    text: `
      with resumed as (
        update engine.runs
        set held_at = null, held_by = null, wait_reason = null, updated_at = engine.now()
        where id = $2 and tenant_id = $1 and phase = 'waiting' and held_at is not null
          and (wait_reason ->> 'kind' is not distinct from 'question') = $3
        returning id, pipeline, lane, priority, status, failures
      )
      insert into engine.ready (pipeline, lane, priority, run_id, solo)
      select r.pipeline, r.lane, r.priority, r.id, ${isSuspect('r.failures', 's.stage')}
      from resumed r
      join engine.states s on s.pipeline = r.pipeline and s.status = r.status`,
    values: [tenantId, runId, isAsked],
  });
  return rowCount === 1;
}

/** A run planned for later becomes due now. */
export async function hurryRun(db: Queryable, tenantId: string, runId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'engine-hurry-run',
    text: `
      with due as (
        delete from engine.scheduled s using engine.runs r
        where s.run_id = $2 and r.id = s.run_id and r.tenant_id = $1
        returning s.pipeline, s.lane, s.priority, s.run_id, s.solo
      )
      insert into engine.ready (pipeline, lane, priority, run_id, solo)
      select pipeline, lane, priority, run_id, solo from due`,
    values: [tenantId, runId],
  });
  return rowCount === 1;
}

/** Ends a run that waits: queued, planned or held. */
export async function cancelWaitingRun(
  db: Queryable,
  cancel: { tenantId: string; runId: string; by: string; text: string },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'engine-cancel-waiting-run',
    text: `
      with wanted as (
        select id, pipeline, lane, priority, held_at from engine.runs where id = $2 and tenant_id = $1 and phase = 'waiting'
      ), ${leavesQueue},
      ended as (
        update engine.runs r
        set status = t.to_status, phase = t.to_phase, error_code = 'run_cancelled', error_text = $4, active_key = null, held_at = null, held_by = null,
            wait_reason = null, cancel_requested_at = engine.now(), cancel_requested_by = $3,
            finished_at = engine.now(), updated_at = engine.now()
        from (
          select run_id from unqueued
          union all select run_id from unplanned
          union all select id from wanted where held_at is not null
        ) taken, engine.transitions t
        where r.id = taken.run_id and r.phase = 'waiting'
          and t.pipeline = r.pipeline and t.from_status = r.status and t.event = ${cancelEventOf('r.pipeline', 'r.status')}
        returning ${endedColumns}
      ), ${endIsTold}`,
    values: [cancel.tenantId, cancel.runId, cancel.by, cancel.text],
  });
  return rowCount === 1;
}

export interface LeaseToCancel {
  readonly part: string;
  readonly attempt: number;
  readonly worker_id: string;
  readonly pipeline: string;
  readonly status: string;
  readonly cancel_event: 'cancel' | 'fail';
}

/** The lease of an active run, locked; undefined when it is under an effects transaction, shared by several, or not active. */
export async function lockLeaseToCancel(
  db: Queryable,
  tenantId: string,
  runId: string,
): Promise<LeaseToCancel | undefined> {
  const { rows } = await db.query<LeaseToCancel>({
    name: 'engine-lock-lease-to-cancel',
    text: `
      select l.part, l.attempt, l.worker_id, l.pipeline, r.status, ${cancelEventOf('l.pipeline', 'r.status')} as cancel_event
      from engine.leases l
      join engine.runs r on r.id = l.run_id
      where l.run_id = $2 and l.tenant_id = $1 and not exists (select from engine.parts p where p.run_id = l.run_id)
      for update of l skip locked`,
    values: [tenantId, runId],
  });
  return rows[0];
}

/** The worker sees the wish at its next commit, the rescuer when the worker is gone. */
export async function requestCancel(db: Queryable, tenantId: string, runId: string, by: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'engine-request-cancel',
    text: `
      update engine.runs
      set cancel_requested_at = coalesce(cancel_requested_at, engine.now()), cancel_requested_by = coalesce(cancel_requested_by, $3)
      where id = $2 and tenant_id = $1 and phase = 'active'`,
    values: [tenantId, runId, by],
  });
  return rowCount === 1;
}

/** Links a dead letter to the run that replaces it; false when it has one already. */
export async function linkRequeued(db: Queryable, runId: string, successor: string): Promise<boolean> {
  // Twice, should it leave the ledger at this very moment: the second statement sees where it went.
  return (await linkOnce(db, runId, successor)) || linkOnce(db, runId, successor);
}

async function linkOnce(db: Queryable, runId: string, successor: string): Promise<boolean> {
  const isOpen = `id = $1 and phase = 'dead' and requeued_as is null`;
  const { rows } = await db.query<{ linked: boolean }>({
    name: 'engine-link-requeued',
    text: `
      with live as (
        update engine.runs set requeued_as = $2, updated_at = engine.now() where ${isOpen} returning 1
      ),
      past as (
        update engine.past_runs set requeued_as = $2, updated_at = engine.now() where ${isOpen} returning 1
      ),
      kept as (
        update engine.kept_runs set requeued_as = $2, updated_at = engine.now() where ${isOpen} returning 1
      )
      select exists (select from live) or exists (select from past) or exists (select from kept) as linked`,
    values: [runId, successor],
  });
  return rows[0]?.linked ?? false;
}

/** Only while it is a dead letter. The run itself, which has ended, is not touched. */
export async function acknowledgeDeadLetter(
  db: Queryable,
  letter: { tenantId: string; runId: string; by: string; reason: string },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'engine-acknowledge-dead-letter',
    text: `
      update engine.flagged_runs
      set acknowledged_at = engine.now(), acknowledged_by = $3, acknowledged_for = $4
      where tenant_id = $1 and run_id = $2 and acknowledged_at is null
        and exists (select from engine.dead_letters d where d.tenant_id = $1 and d.id = $2)`,
    values: [letter.tenantId, letter.runId, letter.by, letter.reason],
  });
  return rowCount === 1;
}

export async function pauseLane(db: Queryable, pipeline: string, lane: string, by: string): Promise<void> {
  await db.query({
    name: 'engine-pause-lane',
    text: `insert into engine.pauses (pipeline, lane, paused_by) values ($1, $2, $3) on conflict do nothing`,
    values: [pipeline, lane, by],
  });
}

export async function unpauseLane(db: Queryable, pipeline: string, lane: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'engine-unpause-lane',
    text: `delete from engine.pauses where pipeline = $1 and lane = $2`,
    values: [pipeline, lane],
  });
  return rowCount === 1;
}
