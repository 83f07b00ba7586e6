// Runs that are known by their ids, and the live run of an active key.
import type { Queryable } from '../../platform/database.ts';
import { ledgerColumns, type RunRow } from './run-columns.ts';

/** In no order. */
export async function readRuns(db: Queryable, tenantId: string, runIds: readonly string[]): Promise<RunRow[]> {
  const { rows } = await db.query<RunRow>({
    name: 'reads-runs',
    text: `
      select ${ledgerColumns}
      from unnest($2::uuid[]) as wanted (id)
      cross join lateral (select * from engine.all_runs x where x.id = wanted.id and x.tenant_id = $1 limit 1) r`,
    values: [tenantId, runIds],
  });
  return rows;
}

/** The live runs of a pipeline that hold one of these active keys. */
export async function readHolders(
  db: Queryable,
  tenantId: string,
  pipeline: string,
  activeKeys: readonly string[],
): Promise<RunRow[]> {
  const { rows } = await db.query<RunRow>({
    name: 'reads-holders',
    text: `
      select ${ledgerColumns}
      from unnest($3::text[]) as wanted (key)
      cross join lateral (
        select * from engine.runs x where x.tenant_id = $1 and x.pipeline = $2 and x.active_key = wanted.key limit 1
      ) r`,
    values: [tenantId, pipeline, activeKeys],
  });
  return rows;
}
