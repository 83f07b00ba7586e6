// Private runs: a pipeline may declare that only the user who started a run, admins and API keys see it.
import type { Queryable } from '../../platform/database.ts';

/** What a person does not see: runs of these pipelines that somebody else made. */
export interface HiddenRuns {
  readonly pipelines: readonly string[];
  readonly viewerId: string;
}

/** As parameters of a statement: pipelines, viewer. Both null where nothing is hidden. */
export function hiddenValues(hidden: HiddenRuns | undefined): [readonly string[] | null, string | null] {
  return hidden === undefined ? [null, null] : [hidden.pipelines, hidden.viewerId];
}

/** A condition on a row of the ledger, `pipelines` and `viewer` being places of parameters. */
export function isSeen(row: string, pipelines: string, viewer: string): string {
  return `(${pipelines}::text[] is null or ${row}.pipeline <> all (${pipelines}) or coalesce(${row}.created_by = ${viewer}::uuid, false))`;
}

export async function isHiddenRun(
  db: Queryable,
  tenantId: string,
  runId: string,
  hidden: HiddenRuns,
): Promise<boolean> {
  const { rows } = await db.query({
    name: 'reads-is-hidden-run',
    text: `
      select 1 from engine.all_runs r
      where r.id = $2 and r.tenant_id = $1 and not ${isSeen('r', '$3', '$4')} limit 1`,
    values: [tenantId, runId, ...hiddenValues(hidden)],
  });
  return rows.length > 0;
}

export interface RunOwner {
  readonly id: string;
  /** Null: no person made it. */
  readonly created_by: string | null;
}

/** Of these runs the ones of private pipelines, with whom they belong to. */
export async function listOwners(
  db: Queryable,
  pipelines: readonly string[],
  runIds: readonly string[],
): Promise<RunOwner[]> {
  const { rows } = await db.query<RunOwner>({
    name: 'reads-list-owners',
    text: `
      select r.id, r.created_by from unnest($2::uuid[]) given (id)
      cross join lateral (select * from engine.all_runs x where x.id = given.id limit 1) r
      where r.pipeline = any ($1)`,
    values: [pipelines, runIds],
  });
  return rows;
}
