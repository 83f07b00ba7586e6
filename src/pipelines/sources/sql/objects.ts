// What was seen at a source. Keys compare by their bytes (collation "C"), as places list them, so a page of a listing and a range of this
// table can be laid side by side: what is in the range and not on the page has vanished.
import type { Queryable } from '../../../platform/database.ts';
import { keepIndexOrder } from './keep-index-order.ts';

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
    /** Only what is listed can be missed. */
    readonly prefix: string;
  },
): Promise<number> {
  let after = range.after ?? '';
  let marked = 0;
  for (;;) {
    const step = await markPage(db, tenantId, sourceId, { ...range, after }, MARKED_AT_ONCE);
    marked += step.marked;
    if (step.looked < MARKED_AT_ONCE || step.last === null) return marked;
    after = step.last;
  }
}

const MARKED_AT_ONCE = 5_000;

/** The first `limit` objects of the range. No key is empty, so everything lies behind ''. */
export async function markPage(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  range: {
    readonly after: string;
    readonly upTo: string | null;
    readonly keys: readonly string[];
    readonly syncId: string;
    readonly prefix: string;
  },
  limit: number,
): Promise<{ looked: number; last: string | null; marked: number }> {
  const isOpen = range.upTo === null;
  await keepIndexOrder(db);
  const { rows } = await db.query<{ looked: number; last: string | null; marked: number }>({
    name: isOpen ? 'sources-mark-missing-to-end' : 'sources-mark-missing',
    text: `
      with page as materialized (
        select x.key, x.status, x.missing_in from public.source_objects x
        where x.tenant_id = $1 and x.source_id = $2 and x.key > $3 collate "C"
          and ${isOpen ? '$4::text is null' : 'x.key <= $4 collate "C"'}
        order by x.key
        limit $7
      ), marked as (
        update public.source_objects o set missing_in = $6
        where o.tenant_id = $1 and o.source_id = $2 and o.key = any (array(
          select p.key from page p
          where p.status in ('live', 'refused', 'failed', 'settling') and p.missing_in is distinct from $6
            and starts_with(p.key, $8) and not (p.key = any ($5::text[] collate "C"))))
        returning 1
      )
      select (select count(*) from page)::integer as looked, (select max(p.key) from page p) as last,
             (select count(*) from marked)::integer as marked`,
    values: [tenantId, sourceId, range.after, range.upTo, range.keys, range.syncId, limit, range.prefix],
  });
  return rows[0] ?? { looked: 0, last: null, marked: 0 };
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
  /** Of a bucket that keeps versions: which one was read. */
  readonly versionId: string | null;
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
        tenant_id, source_id, key, status, bytes, modified_at, mark, sha256, source_uri, run_id, error_code, error_text,
        version_id
      )
      select $1, $2, n.*
      from unnest($3::text[], $4::text[], $5::bigint[], $6::timestamptz[], $7::text[], $8::bytea[], $9::text[], $10::uuid[],
                  $11::text[], $12::text[], $13::text[]) n
      on conflict (source_id, key) do update
      set status = excluded.status, bytes = excluded.bytes, modified_at = excluded.modified_at, mark = excluded.mark,
          sha256 = coalesce(excluded.sha256, o.sha256), source_uri = excluded.source_uri,
          run_id = coalesce(excluded.run_id, o.run_id), error_code = excluded.error_code, error_text = excluded.error_text,
          version_id = excluded.version_id,
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
      seen.map(({ versionId }) => versionId),
    ],
  });
}

/** How much has vanished, and of how many that are known. */
export async function countMissing(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  syncId: string,
): Promise<{ missing: number; known: number }> {
  let known = (await countByStatus(db, tenantId, [sourceId])).get(sourceId)?.live ?? 0;
  let missing = 0;
  for (let after = ''; ; ) {
    const page = await pageMissing(db, tenantId, sourceId, { syncId, after, limit: COUNTED_AT_ONCE });
    const brought = page.filter(({ run_id: runId }) => runId !== null);
    missing += brought.length;
    known += brought.filter(({ status }) => status !== 'live').length;
    if (page.length < COUNTED_AT_ONCE) return { missing, known };
    after = page.at(-1)?.key ?? after;
  }
}

const COUNTED_AT_ONCE = 5_000;

export interface MissingObject {
  readonly key: string;
  readonly status: ObjectStatus;
  /** It brought something, whatever became of its later content. */
  readonly run_id: string | null;
  readonly source_uri: string;
}

/** Of one sync alone; asked for as a range, so that only the index of what is missing has their order. */
export async function pageMissing(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  { syncId, after, limit }: { readonly syncId: string; readonly after: string; readonly limit: number },
): Promise<MissingObject[]> {
  await keepIndexOrder(db);
  const { rows } = await db.query<MissingObject>({
    name: 'sources-page-missing',
    text: `
      select o.key, o.status, o.run_id, o.source_uri from public.source_objects o
      where o.tenant_id = $1 and o.source_id = $2
        and (o.missing_in, o.key) > ($3, $4 collate "C") and o.missing_in <= $3
      order by o.missing_in, o.key
      limit $5`,
    values: [tenantId, sourceId, syncId, after, limit],
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
  if (keys.length === 0) return;
  await db.query({
    name: 'sources-end-objects',
    text: `
      update public.source_objects o
      set status = $4, missing_in = null, deleted_at = engine.now()
      where o.tenant_id = $1 and o.source_id = $2 and o.key = any ($3::text[] collate "C")`,
    values: [tenantId, sourceId, keys, status],
  });
}

/** What was refused is tried by the next sync, although it has not changed: the settings by which it was judged have. */
export async function judgeAgain(db: Queryable, tenantId: string, sourceId: string): Promise<void> {
  while ((await judgePageAgain(db, tenantId, sourceId, JUDGED_AT_ONCE)) === JUDGED_AT_ONCE);
}

const JUDGED_AT_ONCE = 1_000;

export async function judgePageAgain(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  limit: number,
): Promise<number> {
  await keepIndexOrder(db);
  const { rowCount } = await db.query({
    name: 'sources-judge-again',
    text: `
      update public.source_objects o set status = 'failed'
      where o.tenant_id = $1 and o.source_id = $2 and o.key = any (array(
        select x.key from public.source_objects x
        where x.tenant_id = $1 and x.source_id = $2 and x.status = 'refused'
        order by x.key
        limit $3))`,
    values: [tenantId, sourceId, limit],
  });
  return rowCount ?? 0;
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
  readonly version_id: string | null;
  readonly first_seen_at: Date;
  readonly changed_at: Date;
  readonly deleted_at: Date | null;
  /** The sync whose listing did not show it. */
  readonly missing_in: string | null;
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
      select o.key, o.status, o.bytes, o.modified_at, o.source_uri, o.sha256, o.run_id, o.error_code, o.error_text, o.version_id,
             o.first_seen_at, o.changed_at, o.deleted_at, o.missing_in
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
      select c.source_id, c.status, c.objects as count
      from unnest($2::uuid[]) as wanted (id)
      cross join lateral (
        select * from public.source_object_counts x where x.tenant_id = $1 and x.source_id = wanted.id order by x.status limit 10
      ) c`,
    values: [tenantId, sourceIds],
  });
  const counts = new Map<string, Partial<Record<ObjectStatus, number>>>();
  for (const { source_id: id, status, count } of rows) counts.set(id, { ...counts.get(id), [status]: count });
  return counts;
}
