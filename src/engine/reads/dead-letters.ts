// Dead letters: runs that are not tried again by themselves and that nobody has dealt with (view engine.dead_letters).
import type { Queryable } from '../../platform/database.ts';
import { type ShownRun, shownColumns, shownJoins } from './run-columns.ts';
import { newest } from './ways-into-ledger.ts';

export interface DeadLetterPage {
  readonly pipelines: readonly string[] | null;
  readonly beforeId?: string | undefined;
  readonly limit: number;
}

/** Newest first, under the tenant's row-level security. */
export async function pageDeadLetters(db: Queryable, tenantId: string, page: DeadLetterPage): Promise<ShownRun[]> {
  const { rows } = await db.query<ShownRun>({
    name: 'reads-page-dead-letters',
    text: `
      with letters as materialized (
        select d.id from engine.dead_letters d
        where d.tenant_id = $1 and d.id < $2 and ($3::text[] is null or d.pipeline = any ($3))
        order by d.id desc
        limit $4
      )
      select ${shownColumns}
      from letters c
      cross join lateral (select * from engine.all_runs x where x.id = c.id limit 1) r
      ${shownJoins}
      order by c.id desc`,
    values: [tenantId, page.beforeId ?? newest, page.pipelines, page.limit],
  });
  return rows;
}

export async function isDeadLetter(db: Queryable, tenantId: string, runId: string): Promise<boolean> {
  const { rows } = await db.query<{ is_open: boolean }>({
    name: 'reads-is-dead-letter',
    text: `select exists (select from engine.dead_letters where tenant_id = $1 and id = $2) as is_open`,
    values: [tenantId, runId],
  });
  return rows[0]?.is_open ?? false;
}
