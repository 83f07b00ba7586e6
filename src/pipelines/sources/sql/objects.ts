// What was seen at a source. Keys compare by their bytes (collation "C"), as places list them, so a page of a listing and a range of this
// table can be laid side by side: what is in the range and not on the page has vanished.
import type { Queryable } from '../../../platform/database.ts';

export type ObjectStatus = 'live' | 'refused' | 'failed' | 'settling' | 'deleted' | 'kept';

export interface KnownObject {
  readonly key: string;
  readonly status: ObjectStatus;
  readonly mark: string;
  readonly sha256: Buffer | null;
  readonly run_id: string | null;
  readonly error_code: string | null;
  readonly source_uri: string;
  /** Seconds since its mark was first seen. */
  readonly same_for_seconds: number;
}

export async function readKnown(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  keys: readonly string[],
): Promise<Map<string, KnownObject>> {
  const { rows } = await db.query<KnownObject>({
    name: 'sources-read-known',
    text: `
      select o.key, o.status, o.mark, o.sha256, o.run_id, o.error_code, o.source_uri,
             extract(epoch from engine.now() - o.changed_at)::float8 as same_for_seconds
      from unnest($3::text[]) as wanted (key)
      cross join lateral (
        select * from public.source_objects x
        where x.source_id = $2 and x.key = wanted.key collate "C" and x.tenant_id = $1
        limit 1
      ) o`,
    values: [tenantId, sourceId, keys],
  });
  return new Map(rows.map((row) => [row.key, row]));
}

/**
 * Marks what lies in (after, upTo] and is not among `keys` as missing in this sync; null as `upTo` is the end of everything. What is there
 * again loses the mark.
 */
export async function markMissing(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  range: {
    readonly after: string | null;
    readonly upTo: string | null;
    readonly keys: readonly string[];
    readonly syncId: string;
  },
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'sources-mark-missing',
    text: `
      update public.source_objects o set missing_in = $6
      where o.tenant_id = $1 and o.source_id = $2
        and ($3::text is null or o.key > $3 collate "C")
        and ($4::text is null or o.key <= $4 collate "C")
        and o.status in ('live', 'refused', 'failed', 'settling')
        and o.missing_in is distinct from $6
        and not (o.key = any ($5::text[] collate "C"))`,
    values: [tenantId, sourceId, range.after, range.upTo, range.keys, range.syncId],
  });
  return rowCount ?? 0;
}

export interface SeenObject {
  readonly key: string;
  readonly status: ObjectStatus;
  readonly bytes: number;
  readonly modifiedAt: Date | null;
  readonly mark: string;
  readonly sha256: Buffer | null;
  readonly sourceUri: string;
  readonly runId: string | null;
  readonly errorCode: string | null;
  readonly errorText: string | null;
}

export async function writeSeen(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  seen: readonly SeenObject[],
): Promise<void> {
  if (seen.length === 0) return;
  await db.query({
    name: 'sources-write-seen',
    text: `
      insert into public.source_objects as o (
        tenant_id, source_id, key, status, bytes, modified_at, mark, sha256, source_uri, run_id, error_code, error_text
      )
      select $1, $2, n.*
      from unnest($3::text[], $4::text[], $5::bigint[], $6::timestamptz[], $7::text[], $8::bytea[], $9::text[], $10::uuid[],
                  $11::text[], $12::text[]) n
      on conflict (source_id, key) do update
      set status = excluded.status, bytes = excluded.bytes, modified_at = excluded.modified_at, mark = excluded.mark,
          sha256 = coalesce(excluded.sha256, o.sha256), source_uri = excluded.source_uri,
          run_id = coalesce(excluded.run_id, o.run_id), error_code = excluded.error_code, error_text = excluded.error_text,
          changed_at = case when o.mark = excluded.mark then o.changed_at else engine.now() end,
          deleted_at = null, missing_in = null`,
    values: [
      tenantId,
      sourceId,
      seen.map(({ key }) => key),
      seen.map(({ status }) => status),
      seen.map(({ bytes }) => bytes),
      seen.map(({ modifiedAt }) => modifiedAt),
      seen.map(({ mark }) => mark),
      seen.map(({ sha256 }) => sha256),
      seen.map(({ sourceUri }) => sourceUri),
      seen.map(({ runId }) => runId),
      seen.map(({ errorCode }) => errorCode),
      seen.map(({ errorText }) => errorText),
    ],
  });
}

/** How much has vanished, and of how many. */
export async function countMissing(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  syncId: string,
): Promise<{ missing: number; known: number }> {
  const { rows } = await db.query<{ missing: number; known: number }>({
    name: 'sources-count-missing',
    text: `
      select (select count(*) from public.source_objects m
              where m.tenant_id = $1 and m.source_id = $2 and m.missing_in = $3 and m.status = 'live')::integer as missing,
             (select count(*) from public.source_objects k
              where k.tenant_id = $1 and k.source_id = $2 and k.status = 'live')::integer as known`,
    values: [tenantId, sourceId, syncId],
  });
  return rows[0] ?? { missing: 0, known: 0 };
}

export interface MissingObject {
  readonly key: string;
  readonly status: ObjectStatus;
  readonly source_uri: string;
}

export async function listMissing(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  syncId: string,
  limit: number,
): Promise<MissingObject[]> {
  const { rows } = await db.query<MissingObject>({
    name: 'sources-list-missing',
    text: `
      select o.key, o.status, o.source_uri from public.source_objects o
      where o.tenant_id = $1 and o.source_id = $2 and o.missing_in = $3
      order by o.key
      limit $4`,
    values: [tenantId, sourceId, syncId, limit],
  });
  return rows;
}

/** The end of objects that are not there any more; those that never brought anything end as deleted, too. */
export async function endObjects(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  keys: readonly string[],
  status: 'deleted' | 'kept',
): Promise<void> {
  await db.query({
    name: 'sources-end-objects',
    text: `
      update public.source_objects o
      set status = $4, missing_in = null, deleted_at = engine.now()
      where o.tenant_id = $1 and o.source_id = $2 and o.key = any ($3::text[] collate "C")`,
    values: [tenantId, sourceId, keys, status],
  });
}

/** They are there after all. */
export async function unmarkMissing(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  await db.query({
    name: 'sources-unmark-missing',
    text: `
      update public.source_objects o set missing_in = null
      where o.tenant_id = $1 and o.source_id = $2 and o.key = any ($3::text[] collate "C")`,
    values: [tenantId, sourceId, keys],
  });
}

export interface ObjectRow {
  readonly key: string;
  readonly status: ObjectStatus;
  readonly bytes: number;
  readonly modified_at: Date | null;
  readonly source_uri: string;
  readonly sha256: Buffer | null;
  readonly run_id: string | null;
  readonly error_code: string | null;
  readonly error_text: string | null;
  readonly first_seen_at: Date;
  readonly changed_at: Date;
  readonly deleted_at: Date | null;
}

export async function pageObjects(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  page: { readonly after: string | null; readonly status: string | null; readonly limit: number },
): Promise<ObjectRow[]> {
  const { rows } = await db.query<ObjectRow>({
    name: page.status === null ? 'sources-page-objects' : 'sources-page-objects-by-status',
    text: `
      select o.key, o.status, o.bytes, o.modified_at, o.source_uri, o.sha256, o.run_id, o.error_code, o.error_text, o.first_seen_at,
             o.changed_at, o.deleted_at
      from public.source_objects o
      where o.tenant_id = $1 and o.source_id = $2 and ($3::text is null or o.key > $3 collate "C")
        ${page.status === null ? 'and $4::text is null' : 'and o.status = $4'}
      order by o.key
      limit $5`,
    values: [tenantId, sourceId, page.after, page.status, page.limit],
  });
  return rows;
}

export async function countByStatus(
  db: Queryable,
  tenantId: string,
  sourceIds: readonly string[],
): Promise<Map<string, Partial<Record<ObjectStatus, number>>>> {
  const { rows } = await db.query<{ source_id: string; status: ObjectStatus; count: number }>({
    name: 'sources-count-by-status',
    text: `
      select o.source_id, o.status, count(*)::integer as count
      from public.source_objects o
      where o.tenant_id = $1 and o.source_id = any ($2::uuid[])
      group by o.source_id, o.status`,
    values: [tenantId, sourceIds],
  });
  const counts = new Map<string, Partial<Record<ObjectStatus, number>>>();
  for (const { source_id: id, status, count } of rows) counts.set(id, { ...counts.get(id), [status]: count });
  return counts;
}
