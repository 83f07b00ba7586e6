// Sources of all tenants that a service must look at, as sources_services: no credential is within its reach.
import type { Queryable } from '../../../platform/database.ts';

export interface WatchedSource {
  readonly source_id: string;
  readonly tenant_id: string;
  readonly name: string;
}

/** Told once: until the next complete listing. */
export async function takeStale(db: Queryable, limit: number): Promise<WatchedSource[]> {
  const { rows } = await db.query<WatchedSource>({
    name: 'sources-take-stale',
    text: `
      update public.ingestion_sources s set stale_told_at = engine.now()
      where s.source_id in (
        select x.source_id from public.ingestion_sources x
        where x.cron is not null and x.paused_at is null and x.stale_told_at is null
          and coalesce(x.listed_at, x.created_at) < engine.now() - make_interval(secs => x.stale_after_seconds)
        order by x.source_id
        limit $1
      )
      returning s.source_id, s.tenant_id, s.name`,
    values: [limit],
  });
  return rows;
}

export interface AnnouncedSource extends WatchedSource {
  readonly queue_url: string;
  /** Null: it was heard last time. */
  readonly queue_error_code: string | null;
}

export async function listAnnounced(db: Queryable): Promise<AnnouncedSource[]> {
  const { rows } = await db.query<AnnouncedSource>({
    name: 'sources-list-announced',
    text: `
      select s.source_id, s.tenant_id, s.name, s.queue_url, s.queue_error_code
      from public.ingestion_sources s
      where s.queue_url is not null and s.paused_at is null
      order by s.source_id`,
  });
  return rows;
}

/** Whether its queue is heard; null: it is. True when it was heard until now. */
export async function noteQueue(db: Queryable, sourceId: string, errorCode: string | null): Promise<boolean> {
  const { rows } = await db.query<{ was_heard: boolean }>({
    name: 'sources-note-queue',
    text: `
      with before as materialized (
        select x.source_id, x.queue_error_code from public.ingestion_sources x where x.source_id = $1 for update
      )
      update public.ingestion_sources s
      set queue_error_code = $2,
          queue_failing_since = case when $2::text is null then null else coalesce(s.queue_failing_since, engine.now()) end
      from before
      where s.source_id = $1
      returning before.queue_error_code is null as was_heard`,
    values: [sourceId, errorCode],
  });
  return rows[0]?.was_heard ?? false;
}

export interface TroubledSource {
  readonly source_id: string;
  readonly name: string;
  readonly last_error_code: string | null;
  readonly queue_error_code: string | null;
}

/** Of all tenants, for the doctor. */
export async function listTroubled(db: Queryable, limit: number): Promise<TroubledSource[]> {
  const { rows } = await db.query<TroubledSource>({
    name: 'sources-list-troubled',
    text: `
      select s.source_id, s.name, s.last_error_code, s.queue_error_code
      from public.ingestion_sources s
      where s.paused_at is null and (s.last_error_code is not null or s.queue_error_code is not null)
      order by s.source_id
      limit $1`,
    values: [limit],
  });
  return rows;
}
