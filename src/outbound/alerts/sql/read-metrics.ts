// The figures that threshold rules compare: every tenant's at once, from the narrow tables. A tenant or pipeline that is not among the
// rows has nothing to count. Runs as millrace_engine; the statements are cheap however large the ledger is, because figures over a
// span of time read at most NEWEST runs of it (ids are made in time order, so a span is a range of the primary key).
import type { Queryable } from '../../../platform/database.ts';

export interface MetricRow {
  readonly tenant_id: string;
  readonly pipeline: string;
  readonly value: number;
}

const NEWEST = 50_000;

/** Lanes of a tenant begin with its id; of any other lane each run is asked whose it is. */
const ofTenants = `lane ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'`;

export async function readBacklog(db: Queryable): Promise<MetricRow[]> {
  const { rows } = await db.query<MetricRow>({
    name: 'alerts-read-backlog',
    text: `
      with queued as not materialized (
        select pipeline, lane, run_id from engine.ready union all select pipeline, lane, run_id from engine.scheduled
      ),
      lanes as (
        select pipeline, lane, count(*) as runs from queued group by 1, 2
      ),
      counted as (
        select left(lane, 36)::uuid as tenant_id, pipeline, runs from lanes where ${ofTenants}
        union all
        select r.tenant_id, q.pipeline, count(*)
        from lanes g
        join queued q on q.pipeline = g.pipeline and q.lane = g.lane
        cross join lateral (select o.tenant_id from engine.runs o where o.id = q.run_id offset 0) r
        where not g.${ofTenants} group by 1, 2
        union all
        select tenant_id, pipeline, count(distinct run_id) from engine.leases group by 1, 2
      )
      select tenant_id, pipeline, sum(runs)::float8 as value from counted group by 1, 2`,
  });
  return rows;
}

export async function readOldestWaiting(db: Queryable): Promise<MetricRow[]> {
  const { rows } = await db.query<MetricRow>({
    name: 'alerts-read-oldest-waiting',
    text: `
      with lanes as (
        select pipeline, lane, min(queued_at) as at from engine.ready group by 1, 2
      ),
      oldest as (
        select left(lane, 36)::uuid as tenant_id, pipeline, at from lanes where ${ofTenants}
        union all
        select r.tenant_id, q.pipeline, min(q.queued_at)
        from lanes g
        join engine.ready q on q.pipeline = g.pipeline and q.lane = g.lane
        cross join lateral (select o.tenant_id from engine.runs o where o.id = q.run_id offset 0) r
        where not g.${ofTenants} group by 1, 2
      )
      select tenant_id, pipeline, extract(epoch from engine.now() - min(at))::float8 as value from oldest group by 1, 2`,
  });
  return rows;
}

export async function readDeadLetters(db: Queryable): Promise<MetricRow[]> {
  const { rows } = await db.query<MetricRow>({
    name: 'alerts-read-dead-letters',
    text: `select tenant_id, pipeline, count(*)::float8 as value from engine.dead_letters group by 1, 2`,
  });
  return rows;
}

export async function readFailedRuns(db: Queryable, minutes: number): Promise<MetricRow[]> {
  const { rows } = await db.query<MetricRow>({
    name: 'alerts-read-failed-runs',
    text: `
      select tenant_id, pipeline, count(*)::float8 as value
      from engine.flagged_runs
      where finished_at > (select engine.now() - $1 * interval '1 minute') and phase in ('failed', 'dead')
      group by 1, 2`,
    values: [minutes],
  });
  return rows;
}

export interface StaleLimit {
  readonly pipeline: string;
  readonly atWorkSeconds: number;
  readonly queuedSeconds?: number;
}

/**
 * At work for longer than the pipeline's limit while its worker has gone silent, at once where the pipeline has none; and waiting for
 * longer than its limit while workers for it live, where it has one.
 */
export async function readStaleRuns(db: Queryable, limits: readonly StaleLimit[]): Promise<MetricRow[]> {
  const { rows } = await db.query<MetricRow>({
    name: 'alerts-read-stale-runs',
    text: `
      with limits as (
        select * from unnest($1::text[], $2::float8[], $3::float8[]) as m (pipeline, at_work_s, queued_s)
      ),
      stale as (
        select distinct l.tenant_id, l.pipeline, l.run_id
        from engine.leases l
        join engine.workers w on w.worker_id = l.worker_id
        left join limits m on m.pipeline = l.pipeline
        where w.expires_at < engine.now() and l.claimed_at < engine.now() - interval '1 second' * coalesce(m.at_work_s, 0)
        union all
        select r.tenant_id, q.pipeline, q.run_id
        from limits m
        join engine.ready q on q.pipeline = m.pipeline and q.queued_at < engine.now() - m.queued_s * interval '1 second'
        cross join lateral (select o.tenant_id from engine.runs o where o.id = q.run_id offset 0) r
        where m.queued_s is not null
          and exists (select from engine.workers w
                      where w.ended_at is null and w.expires_at > engine.now() and m.pipeline = any (w.pipelines))
      )
      select tenant_id, pipeline, count(*)::float8 as value from stale group by 1, 2`,
    values: [
      limits.map(({ pipeline }) => pipeline),
      limits.map(({ atWorkSeconds }) => atWorkSeconds),
      limits.map(({ queuedSeconds = null }) => queuedSeconds),
    ],
  });
  return rows;
}

/** A lease outlives its worker by the rescuer's interval, never by minutes. */
export async function readOwnerless(db: Queryable): Promise<MetricRow[]> {
  const { rows } = await db.query<MetricRow>({
    name: 'alerts-read-ownerless',
    text: `
      select l.tenant_id, l.pipeline, count(distinct l.run_id)::float8 as value
      from engine.leases l
      left join lateral (
        select coalesce(w.ended_at, w.expires_at) as gone_at from engine.workers w where w.worker_id = l.worker_id limit 1
      ) w on true
      where coalesce(w.gone_at, l.claimed_at) < engine.now() - interval '2 minutes'
      group by 1, 2`,
  });
  return rows;
}

const newest = `select id, tenant_id, pipeline, phase, error_code, receipt, started_at, finished_at
        from engine.runs where id >= $1 order by id desc limit ${NEWEST}`;

export async function readMeanSeconds(db: Queryable, sinceId: string): Promise<MetricRow[]> {
  const { rows } = await db.query<MetricRow>({
    name: 'alerts-read-mean-seconds',
    text: `
      select tenant_id, pipeline, avg(extract(epoch from finished_at - started_at))::float8 as value
      from (${newest}) recent
      where phase = 'done' and started_at is not null
      group by 1, 2`,
    values: [sinceId],
  });
  return rows;
}

export async function readQueuedRuns(db: Queryable, sinceId: string): Promise<MetricRow[]> {
  const { rows } = await db.query<MetricRow>({
    name: 'alerts-read-queued-runs',
    text: `select tenant_id, pipeline, count(*)::float8 as value from (${newest}) recent group by 1, 2`,
    values: [sinceId],
  });
  return rows;
}

/** Of those that ended by themselves: what a person cancelled is neither. */
export async function readSuccessPercent(db: Queryable, sinceId: string): Promise<MetricRow[]> {
  const { rows } = await db.query<MetricRow>({
    name: 'alerts-read-success-percent',
    text: `
      select tenant_id, pipeline, (100.0 * count(*) filter (where phase = 'done') / count(*))::float8 as value
      from (${newest}) recent
      where finished_at is not null and error_code is distinct from 'run_cancelled'
      group by 1, 2`,
    values: [sinceId],
  });
  return rows;
}

export async function readRetries(db: Queryable, sinceId: string): Promise<MetricRow[]> {
  const { rows } = await db.query<MetricRow>({
    name: 'alerts-read-retries',
    text: `
      select recent.tenant_id, recent.pipeline, count(*)::float8 as value
      from (${newest}) recent
      cross join lateral (select outcome from engine.attempts where run_id = recent.id offset 0) a
      where a.outcome = 'retried'
      group by 1, 2`,
    values: [sinceId],
  });
  return rows;
}

/** By whoever was asked; no room on the disk is no throttling. */
export async function readThrottledPercent(db: Queryable, sinceId: string): Promise<MetricRow[]> {
  const { rows } = await db.query<MetricRow>({
    name: 'alerts-read-throttled-percent',
    text: `
      select recent.tenant_id, recent.pipeline,
             (100.0 * count(*) filter (where a.error_kind = 'rate_limited' and a.error_code is distinct from 'disk_full')
               / count(*))::float8 as value
      from (${newest}) recent
      cross join lateral (select error_kind, error_code from engine.attempts where run_id = recent.id offset 0) a
      group by 1, 2`,
    values: [sinceId],
  });
  return rows;
}

export async function readNotFoundPercent(db: Queryable, sinceId: string): Promise<MetricRow[]> {
  const { rows } = await db.query<MetricRow>({
    name: 'alerts-read-not-found-percent',
    text: `
      select tenant_id, pipeline,
             (100.0 * count(*) filter (where phase <> 'done' and error_code like '%\\_not\\_found') / count(*))::float8 as value
      from (${newest}) recent
      where finished_at is not null and error_code is distinct from 'run_cancelled'
      group by 1, 2`,
    values: [sinceId],
  });
  return rows;
}

export async function readItemsPerSecond(db: Queryable, sinceId: string): Promise<MetricRow[]> {
  const { rows } = await db.query<MetricRow>({
    name: 'alerts-read-items-per-second',
    text: `
      select tenant_id, pipeline,
             sum((receipt ->> 'read')::float8) / sum(extract(epoch from finished_at - started_at)::float8) as value
      from (${newest}) recent
      where phase = 'done' and finished_at > started_at
      group by 1, 2`,
    values: [sinceId],
  });
  return rows;
}

/** A pipeline that no running process knows fires nothing: its schedules are overdue. */
export async function readTroubledSchedules(db: Queryable): Promise<MetricRow[]> {
  const { rows } = await db.query<MetricRow>({
    name: 'alerts-read-troubled-schedules',
    text: `
      select tenant_id, pipeline, count(*)::float8 as value
      from engine.schedules
      where enabled and (trouble_code is not null or due_at < (select engine.now() - interval '10 minutes'))
      group by 1, 2`,
  });
  return rows;
}
