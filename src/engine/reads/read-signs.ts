// Whether the engine makes progress, for doctor, /ready, metrics and alerts. Reads the whole installation as millrace_engine, but at most SAMPLE rows
// of the queue for each pipeline.
import type { Queryable } from '../../platform/database.ts';

export interface WorkSigns {
  /** Active runs, each once however many parts of it are. */
  readonly active: number;
  /** Some runs could be claimed now: they are due, and neither their pipeline nor their lane is paused. */
  readonly has_due: boolean;
  /** Since when there is work and no run has ended or moved; null without work. */
  readonly no_end_s: number | null;
  /** Leases whose worker is ended, expired or unknown. */
  readonly ownerless: number;
  readonly ends_waiting: number;
  readonly oldest_end_s: number | null;
}

const SAMPLE = 1_000;

/** Work that waits counts from when it was queued, work that runs from when it was claimed. */
export async function readSigns(db: Queryable): Promise<WorkSigns> {
  const { rows } = await db.query<WorkSigns>({
    name: 'reads-signs',
    text: `
      with due as (
        select min(q.queued_at) as since
        from engine.pipelines p
        cross join lateral (
          select r.lane, r.queued_at from engine.ready r where r.pipeline = p.pipeline limit ${SAMPLE}
        ) q
        where (select true from engine.pauses z where z.pipeline = p.pipeline and z.lane in ('', q.lane) limit 1) is null
      ),
      held as (
        select count(distinct l.run_id)::int as active, min(l.claimed_at) as since, max(g.updated_at) as moved_at,
               (count(*) filter (where w.worker_id is null))::int as ownerless
        from engine.leases l
        left join lateral (
          select o.worker_id from engine.workers o where o.worker_id = l.worker_id and o.ended_at is null and o.expires_at > engine.now() limit 1
        ) w on true
        left join lateral (select max(p.updated_at) as updated_at from engine.progress p where p.run_id = l.run_id) g on true
      ),
      told as (
        select max(last_end_at) as ended_at,
               (coalesce(sum(ends_waiting) filter (where ended_at is null and expires_at > engine.now()), 0))::int as waiting,
               min(oldest_end_at) filter (where ended_at is null and expires_at > engine.now()) as oldest_at
        from engine.workers
      )
      select h.active, d.since is not null as has_due, h.ownerless, t.waiting as ends_waiting,
             extract(epoch from engine.now() - t.oldest_at)::float8 as oldest_end_s,
             greatest(0, extract(epoch from engine.now() - greatest(least(d.since, h.since), t.ended_at, h.moved_at)))::float8
               * case when d.since is not null or h.active > 0 then 1 end as no_end_s
      from due d, held h, told t`,
  });
  return rows[0] as WorkSigns;
}

export interface OutboxSigns {
  /** Events that have no position yet. */
  readonly waiting: number;
  readonly oldest_s: number | null;
}

/** Ids are given out in order, so the least one in the inbox is the oldest. */
export async function readOutboxSigns(db: Queryable): Promise<OutboxSigns> {
  const { rows } = await db.query<OutboxSigns>({
    name: 'reads-outbox-signs',
    text: `
      with inbox as (select count(*)::int as waiting, min(event_id) as first from engine.event_inbox)
      select i.waiting,
             (select extract(epoch from engine.now() - e.created_at)::float8 from engine.events e where e.event_id = i.first) as oldest_s
      from inbox i`,
  });
  return rows[0] ?? { waiting: 0, oldest_s: null };
}

export interface ConsumerSigns {
  readonly consumer: string;
  /** Positions behind the newest. */
  readonly behind: number;
  /** Age of the first event it has not read. */
  readonly behind_s: number | null;
}

export async function readConsumerSigns(db: Queryable): Promise<ConsumerSigns[]> {
  const { rows } = await db.query<ConsumerSigns>({
    name: 'reads-consumer-signs',
    text: `
      with newest as materialized (select coalesce(max(position), 0) as position from engine.event_positions)
      select c.consumer, greatest(0, n.position - c.position)::float8 as behind,
             (select extract(epoch from engine.now() - e.created_at)::float8
              from (select p.event_id from engine.event_positions p where p.position > c.position order by p.position limit 1) next
              join engine.events e on e.event_id = next.event_id) as behind_s
      from engine.consumers c, newest n
      order by c.consumer`,
  });
  return rows;
}

export interface TableSigns {
  readonly table: string;
  readonly live: number;
  readonly dead: number;
}

/** Tables whose rows come and go with every run: dead rows that pile up slow every claim. As the server's statistics have it. */
export async function readTableSigns(db: Queryable): Promise<TableSigns[]> {
  const { rows } = await db.query<TableSigns>({
    name: 'reads-table-signs',
    text: `
      select relname as table, n_live_tup::float8 as live, n_dead_tup::float8 as dead
      from pg_stat_all_tables
      where schemaname = 'engine' and relname in ('ready', 'scheduled', 'leases', 'workers', 'event_inbox', 'progress', 'checkpoints', 'runs')
      order by relname`,
  });
  return rows;
}

/** How many transactions old the oldest snapshot is that keeps dead rows from being removed: a session's, a slot's or a prepared transaction's. */
export async function readXminAge(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ age: number }>({
    name: 'reads-xmin-age',
    text: `
      select coalesce(max(age(x.xmin)), 0)::float8 as age
      from (
        select backend_xmin as xmin from pg_stat_activity
        union all select xmin from pg_replication_slots
        union all select catalog_xmin from pg_replication_slots
        union all select transaction from pg_prepared_xacts
      ) x
      where x.xmin is not null`,
  });
  return rows[0]?.age ?? 0;
}
