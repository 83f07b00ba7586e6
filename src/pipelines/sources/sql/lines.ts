// What a sync found that was not as before, a line each.
import type { Queryable } from '../../../platform/database.ts';

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

export async function countLines(
  db: Queryable,
  tenantId: string,
  syncId: string,
): Promise<Partial<Record<Fate, number>>> {
  const { rows } = await db.query<{ fate: Fate; count: number }>({
    name: 'sources-count-lines',
    text: `
      select l.fate, count(*)::integer as count from public.source_sync_lines l
      where l.tenant_id = $1 and l.sync_id = $2
      group by l.fate`,
    values: [tenantId, syncId],
  });
  return Object.fromEntries(rows.map(({ fate, count }) => [fate, count]));
}

export async function listOldLines(db: Queryable, days: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ sync_id: string }>({
    name: 'sources-list-old-lines',
    text: `
      select distinct l.sync_id from (
        select o.sync_id from public.source_sync_lines o
        where o.created_at < engine.now() - make_interval(days => $1)
        order by o.created_at
        limit $2 * 100
      ) l
      limit $2`,
    values: [days, limit],
  });
  return rows.map((row) => row.sync_id);
}

export async function deleteLines(db: Queryable, syncId: string, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'sources-delete-lines',
    text: `
      delete from public.source_sync_lines l
      where l.sync_id = $1 and (l.key, l.fate) in (
        select x.key, x.fate from public.source_sync_lines x where x.sync_id = $1 limit $2)`,
    values: [syncId, limit],
  });
  return rowCount ?? 0;
}
