// The lanes and the workers, read as millrace_engine because the queue tables know no tenant. Every statement names the
// tenant itself; a lane named after another tenant is never looked at.
import type { Queryable } from '../../platform/database.ts';

export interface LaneRow {
  readonly pipeline: string;
  readonly lane: string;
  readonly waiting: number;
  readonly active: number;
  readonly cap: number | null;
  readonly paused: boolean;
  readonly oldest_waiting_at: Date | null;
  readonly first_run_id: string | null;
}

export async function readLanes(control: Queryable, tenantId: string): Promise<LaneRow[]> {
  const { rows } = await control.query<LaneRow>({
    name: 'reads-lanes',
    text: `
      with queued as (
        select q.pipeline, q.lane, count(*)::int as waiting, min(q.queued_at) as oldest,
               (array_agg(q.run_id order by q.priority, q.run_id))[1] as first_run_id
        from (
          select pipeline, lane, priority, run_id, queued_at from engine.ready
          union all
          select pipeline, lane, priority, run_id, null from engine.scheduled
        ) q
        cross join lateral (select o.tenant_id from engine.runs o where o.id = q.run_id offset 0) r
        where (starts_with(q.lane, $1::text) or q.lane !~ '^[0-9a-f]{8}-[0-9a-f]{4}-') and r.tenant_id = $1::uuid
        group by q.pipeline, q.lane
      ),
      leased as (
        select pipeline, lane, count(distinct run_id)::int as active from engine.leases where tenant_id = $1::uuid group by pipeline, lane
      ),
      halted as (
        select pipeline, lane from engine.pauses where starts_with(lane, $1::text)
      ),
      lanes as (
        select pipeline, lane from queued union select pipeline, lane from leased union select pipeline, lane from halted
      )
      select l.pipeline, l.lane, coalesce(q.waiting, 0) as waiting, coalesce(a.active, 0) as active, p.lane_cap as cap,
             exists (select from engine.pauses z where z.pipeline = l.pipeline and z.lane in ('', l.lane)) as paused,
             q.oldest as oldest_waiting_at, q.first_run_id
      from lanes l
      join engine.pipelines p on p.pipeline = l.pipeline
      left join queued q on q.pipeline = l.pipeline and q.lane = l.lane
      left join leased a on a.pipeline = l.pipeline and a.lane = l.lane
      order by l.pipeline, l.lane
      limit 1000`,
    values: [tenantId],
  });
  return rows;
}

export interface WorkerRow {
  readonly worker_id: string;
  readonly name: string;
  readonly pipelines: string[];
  readonly concurrency: number;
  readonly version: string;
  readonly started_at: Date;
  readonly heartbeat_at: Date;
  readonly alive: boolean;
  readonly running: number;
}

/** Living workers, and those lost within the last hour. Of what they hold, only this tenant's runs are counted. */
export async function readWorkers(control: Queryable, tenantId: string): Promise<WorkerRow[]> {
  const { rows } = await control.query<WorkerRow>({
    name: 'reads-workers',
    text: `
      select w.worker_id, w.name, w.pipelines, w.concurrency, w.version, w.started_at, w.heartbeat_at,
             w.ended_at is null and w.expires_at > engine.now() as alive,
             (select count(*)::int from engine.leases l where l.worker_id = w.worker_id and l.tenant_id = $1) as running
      from engine.workers w
      where w.ended_at is null or (w.end_reason = 'lost' and w.ended_at > engine.now() - interval '1 hour')
      order by w.started_at desc
      limit 500`,
    values: [tenantId],
  });
  return rows;
}

export interface BacklogRow {
  readonly pipeline: string;
  readonly waiting: number;
  readonly held: number;
  readonly active: number;
  readonly oldest_s: number | null;
}

/** Of the whole installation, for Prometheus; no tenant is named. */
export async function readBacklog(control: Queryable): Promise<BacklogRow[]> {
  const { rows } = await control.query<BacklogRow>({
    name: 'reads-backlog',
    text: `
      select p.pipeline,
             (select count(*)::int from engine.ready q where q.pipeline = p.pipeline)
               + (select count(*)::int from engine.scheduled s where s.pipeline = p.pipeline) as waiting,
             (select count(distinct l.run_id)::int from engine.leases l where l.pipeline = p.pipeline) as active,
             (select count(*)::int from engine.runs h where h.held_at is not null and h.pipeline = p.pipeline) as held,
             (select extract(epoch from engine.now() - min(q.queued_at))::float8 from engine.ready q
              where q.pipeline = p.pipeline) as oldest_s
      from engine.pipelines p`,
  });
  return rows;
}

export async function countWorkersAlive(control: Queryable): Promise<number> {
  const { rows } = await control.query<{ alive: number }>({
    name: 'reads-count-workers-alive',
    text: 'select count(*)::int as alive from engine.workers where ended_at is null and expires_at > engine.now()',
  });
  return rows[0]?.alive ?? 0;
}

export interface TroubleRow {
  readonly pipeline: string;
  readonly dead_letters: number;
  readonly stale: number;
}

/** Of the whole installation, for Prometheus; no tenant is named. */
export async function readTrouble(control: Queryable): Promise<TroubleRow[]> {
  const { rows } = await control.query<TroubleRow>({
    name: 'reads-trouble',
    text: `
      with letters as materialized (select pipeline, count(*)::int as letters from engine.dead_letters group by pipeline),
      stale as materialized (select pipeline, count(*)::int as stale from engine.stale_runs group by pipeline)
      select p.pipeline, coalesce(d.letters, 0) as dead_letters, coalesce(s.stale, 0) as stale
      from engine.pipelines p
      left join letters d on d.pipeline = p.pipeline
      left join stale s on s.pipeline = p.pipeline`,
  });
  return rows;
}
