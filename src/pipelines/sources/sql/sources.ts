// Sources as they are set up.
import type { Queryable } from '../../../platform/database.ts';
import { keepIndexOrder } from './keep-index-order.ts';

export interface SourceRow {
  readonly source_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly kind: 's3' | 'sftp' | 'ftp' | 'folder';
  readonly place: Record<string, unknown>;
  readonly pipeline: string;
  readonly fields: Record<string, string>;
  readonly title_pattern: string | null;
  readonly prefix: string;
  readonly include: string[];
  readonly exclude: string[];
  readonly max_bytes: number | null;
  readonly after_taken: 'leave' | 'move' | 'tag';
  readonly settle_seconds: number;
  readonly cron: string | null;
  readonly time_zone: string;
  readonly jitter_seconds: number;
  readonly stale_after_seconds: number;
  readonly credential: Buffer | null;
  readonly credential_kind: 'none' | 'keys' | 'password' | 'private_key';
  readonly queue_url: string | null;
  readonly paused_at: Date | null;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly listed_at: Date | null;
  readonly last_sync_id: string | null;
  readonly last_error_code: string | null;
  readonly last_error_at: Date | null;
  readonly queue_failing_since: Date | null;
  readonly queue_error_code: string | null;
  readonly now: Date;
}

const columns = `
  s.source_id, s.tenant_id, s.name, s.kind, s.place, s.pipeline, s.fields, s.title_pattern, s.prefix, s.include, s.exclude, s.max_bytes,
  s.after_taken, s.settle_seconds, s.cron, s.time_zone, s.jitter_seconds, s.stale_after_seconds, s.credential, s.credential_kind,
  s.queue_url, s.paused_at, s.created_by, s.created_at, s.updated_at, s.listed_at, s.last_sync_id, s.last_error_code, s.last_error_at,
  s.queue_failing_since, s.queue_error_code, engine.now() as now`;

export async function findSource(db: Queryable, tenantId: string, sourceId: string): Promise<SourceRow | undefined> {
  const { rows } = await db.query<SourceRow>({
    name: 'sources-find',
    text: `select ${columns} from public.ingestion_sources s where s.tenant_id = $1 and s.source_id = $2`,
    values: [tenantId, sourceId],
  });
  return rows[0];
}

/** A change keeps syncs from reading the settings until it has committed; syncs do not keep each other. */
export async function lockSource(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  by: 'sync' | 'change',
): Promise<SourceRow | undefined> {
  const isSync = by === 'sync';
  const { rows } = await db.query<SourceRow>({
    name: isSync ? 'sources-lock-for-sync' : 'sources-lock-for-change',
    text: `
      select ${columns} from public.ingestion_sources s
      where s.tenant_id = $1 and s.source_id = $2
      ${isSync ? 'for share of s' : 'for no key update of s'}`,
    values: [tenantId, sourceId],
  });
  return rows[0];
}

export async function listSources(
  db: Queryable,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<SourceRow[]> {
  const { rows } = await db.query<SourceRow>({
    name: 'sources-list',
    text: `
      select ${columns} from public.ingestion_sources s
      where s.tenant_id = $1 and ($2::uuid is null or s.source_id > $2)
      order by s.source_id
      limit $3`,
    values: [tenantId, after, limit],
  });
  return rows;
}

/** Up to a thousand: no plan allows more. */
export async function countSources(db: Queryable, tenantId: string): Promise<{ count: number; plan: string }> {
  await keepIndexOrder(db);
  const { rows } = await db.query<{ count: number; plan: string }>({
    name: 'sources-count',
    text: `
      select (select count(*) from (
                select from public.ingestion_sources x where x.tenant_id = $1 order by x.name limit 1000
              ) s)::integer as count, t.plan
      from public.tenants t where t.tenant_id = $1`,
    values: [tenantId],
  });
  return rows[0] ?? { count: 0, plan: 'free' };
}

export interface SourceDraft {
  readonly sourceId: string;
  readonly tenantId: string;
  readonly name: string;
  readonly kind: string;
  readonly place: object;
  readonly pipeline: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly titlePattern: string | null;
  readonly prefix: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly maxBytes: number | null;
  readonly afterTaken: string;
  readonly settleSeconds: number;
  readonly cron: string | null;
  readonly timeZone: string;
  readonly jitterSeconds: number;
  readonly staleAfterSeconds: number;
  readonly credential: Buffer | null;
  readonly credentialKind: string;
  readonly queueUrl: string | null;
  readonly isPaused: boolean;
  readonly createdBy: string | null;
}

/** Adds it, or changes it when it is there. */
export async function writeSource(db: Queryable, draft: SourceDraft): Promise<void> {
  await db.query({
    name: 'sources-write',
    text: `
      insert into public.ingestion_sources as s (
        source_id, tenant_id, name, kind, place, pipeline, fields, title_pattern, prefix, include, exclude, max_bytes, after_taken,
        settle_seconds, cron, time_zone, jitter_seconds, stale_after_seconds, credential, credential_kind, queue_url, paused_at, created_by
      ) values (
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
        case when $22 then engine.now() end, $23
      )
      on conflict (source_id) do update
      set name = excluded.name, place = excluded.place, pipeline = excluded.pipeline, fields = excluded.fields,
          title_pattern = excluded.title_pattern, prefix = excluded.prefix, include = excluded.include, exclude = excluded.exclude,
          max_bytes = excluded.max_bytes, after_taken = excluded.after_taken, settle_seconds = excluded.settle_seconds,
          cron = excluded.cron, time_zone = excluded.time_zone, jitter_seconds = excluded.jitter_seconds,
          stale_after_seconds = excluded.stale_after_seconds, credential = excluded.credential,
          credential_kind = excluded.credential_kind, queue_url = excluded.queue_url,
          queue_failing_since = case when s.queue_url is not distinct from excluded.queue_url then s.queue_failing_since end,
          queue_error_code = case when s.queue_url is not distinct from excluded.queue_url then s.queue_error_code end,
          paused_at = case when $22 then coalesce(s.paused_at, engine.now()) end, updated_at = engine.now()`,
    values: [
      draft.sourceId,
      draft.tenantId,
      draft.name,
      draft.kind,
      JSON.stringify(draft.place),
      draft.pipeline,
      JSON.stringify(draft.fields),
      draft.titlePattern,
      draft.prefix,
      draft.include,
      draft.exclude,
      draft.maxBytes,
      draft.afterTaken,
      draft.settleSeconds,
      draft.cron,
      draft.timeZone,
      draft.jitterSeconds,
      draft.staleAfterSeconds,
      draft.credential,
      draft.credentialKind,
      draft.queueUrl,
      draft.isPaused,
      draft.createdBy,
    ],
  });
}

/** With its objects and their lines' source; the runs they brought stay. */
export async function deleteSource(db: Queryable, tenantId: string, sourceId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'sources-delete',
    text: `delete from public.ingestion_sources s where s.tenant_id = $1 and s.source_id = $2`,
    values: [tenantId, sourceId],
  });
  return rowCount === 1;
}

/** How a sync ended, by the stage itself. */
export async function noteSync(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  end: { readonly syncId: string; readonly isComplete: boolean; readonly errorCode: string | null },
): Promise<void> {
  await db.query({
    name: 'sources-note-sync',
    text: `
      update public.ingestion_sources s
      set last_sync_id = $3, listed_at = case when $4 then engine.now() else s.listed_at end,
          last_error_code = $5, last_error_at = case when $5::text is null then null else engine.now() end,
          stale_told_at = case when $4 then null else s.stale_told_at end
      where s.tenant_id = $1 and s.source_id = $2`,
    values: [tenantId, sourceId, end.syncId, end.isComplete, end.errorCode],
  });
}
