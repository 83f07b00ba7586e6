// What a sync found that was not as before, a line each.
import type { Queryable } from '../../../platform/database.ts';
import { keepIndexOrder } from './keep-index-order.ts';

export type Fate = 'new' | 'changed' | 'unchanged' | 'refused' | 'vanished';

export interface Line {
  readonly key: string;
  readonly fate: Fate;
  readonly runId: string | null;
  readonly errorCode: string | null;
}

export async function writeLines(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  syncId: string,
  lines: readonly Line[],
): Promise<void> {
  if (lines.length === 0) return;
  await db.query({
    name: 'sources-write-lines',
    text: `
      insert into public.source_sync_lines (tenant_id, sync_id, source_id, key, fate, run_id, error_code)
      select $1, $2, $3, n.* from unnest($4::text[], $5::text[], $6::uuid[], $7::text[]) n
      on conflict do nothing`,
    values: [
      tenantId,
      syncId,
      sourceId,
      lines.map(({ key }) => key),
      lines.map(({ fate }) => fate),
      lines.map(({ runId }) => runId),
      lines.map(({ errorCode }) => errorCode),
    ],
  });
}

export interface LineRow {
  readonly key: string;
  readonly fate: Fate;
  readonly run_id: string | null;
  readonly error_code: string | null;
  readonly created_at: Date;
}

export async function pageLines(
  db: Queryable,
  tenantId: string,
  syncId: string,
  after: string | null,
  limit: number,
): Promise<LineRow[]> {
  const { rows } = await db.query<LineRow>({
    name: 'sources-page-lines',
    text: `
      select l.key, l.fate, l.run_id, l.error_code, l.created_at
      from public.source_sync_lines l
      where l.tenant_id = $1 and l.sync_id = $2 and ($3::text is null or l.key > $3 collate "C")
      order by l.key, l.fate
      limit $4`,
    values: [tenantId, syncId, after, limit],
  });
  return rows;
}

/** Which of these directories a sync was not allowed to list. */
export async function readShut(
  db: Queryable,
  tenantId: string,
  syncId: string,
  directories: readonly string[],
): Promise<Set<string>> {
  await keepIndexOrder(db);
  const { rows } = await db.query<{ key: string }>({
    name: 'sources-read-shut',
    text: `
      select l.key from public.source_sync_lines l
      where l.tenant_id = $1 and l.sync_id = $2 and l.key = any ($3::text[] collate "C")
        and l.fate = 'refused' and l.error_code = 'source_directory_shut'`,
    values: [tenantId, syncId, directories],
  });
  return new Set(rows.map((row) => row.key));
}

/** In pages, whose plan has no choice: the statistics of a new table take one sync for all of it. */
export async function countLines(
  db: Queryable,
  tenantId: string,
  syncId: string,
): Promise<Partial<Record<Fate, number>>> {
  const counts: Partial<Record<Fate, number>> = {};
  for (let after: LinePlace = { key: '', fate: '' }; ; ) {
    const page = await pageFates(db, tenantId, syncId, after, COUNTED_AT_ONCE);
    for (const { fate } of page) counts[fate] = (counts[fate] ?? 0) + 1;
    const last = page.at(-1);
    if (last === undefined || page.length < COUNTED_AT_ONCE) return counts;
    after = last;
  }
}

const COUNTED_AT_ONCE = 5_000;

interface LinePlace {
  readonly key: string;
  readonly fate: string;
}

export async function pageFates(
  db: Queryable,
  tenantId: string,
  syncId: string,
  after: LinePlace,
  limit: number,
): Promise<{ key: string; fate: Fate }[]> {
  await keepIndexOrder(db);
  const { rows } = await db.query<{ key: string; fate: Fate }>({
    name: 'sources-page-fates',
    text: `
      select l.key, l.fate from public.source_sync_lines l
      where l.tenant_id = $1 and l.sync_id = $2 and (l.key, l.fate) > ($3 collate "C", $4)
      order by l.key, l.fate
      limit $5`,
    values: [tenantId, syncId, after.key, after.fate, limit],
  });
  return rows;
}

/** Of the oldest lines; those of one sync stand together, so that few syncs come at a time. */
export async function listOldLines(db: Queryable, days: number, limit: number): Promise<string[]> {
  await keepIndexOrder(db);
  const { rows } = await db.query<{ sync_id: string }>({
    name: 'sources-list-old-lines',
    text: `
      select distinct l.sync_id from (
        select o.sync_id from public.source_sync_lines o
        where o.created_at < (select engine.now()) - make_interval(days => $1)
        order by o.created_at
        limit $2
      ) l
      limit $2`,
    values: [days, limit],
  });
  return rows.map((row) => row.sync_id);
}

export async function deleteLines(db: Queryable, syncId: string, limit: number): Promise<number> {
  await keepIndexOrder(db);
  const { rowCount } = await db.query({
    name: 'sources-delete-lines',
    text: `
      delete from public.source_sync_lines l
      where l.ctid = any (array(
        select x.ctid from public.source_sync_lines x where x.sync_id = $1 order by x.key, x.fate limit $2))`,
    values: [syncId, limit],
  });
  return rowCount ?? 0;
}
