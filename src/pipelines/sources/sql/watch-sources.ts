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
}

export async function listAnnounced(db: Queryable): Promise<AnnouncedSource[]> {
  const { rows } = await db.query<AnnouncedSource>({
    name: 'sources-list-announced',
    text: `
      select s.source_id, s.tenant_id, s.name, s.queue_url
      from public.ingestion_sources s
      where s.queue_url is not null and s.paused_at is null
      order by s.source_id`,
  });
  return rows;
}
