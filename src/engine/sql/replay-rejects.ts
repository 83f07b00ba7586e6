import type { Queryable } from '../../platform/database.ts';

export interface CorrectedReject {
  readonly reject_id: string;
  readonly line: number | null;
  readonly byte_offset: number | null;
  readonly item: Readonly<Record<string, string | null>>;
  readonly correction: { readonly cells: Readonly<Record<string, string | null>> };
}

/**
 * The corrected rows of a run, with those that nobody has corrected if `takesOpen`, or the given ones of them, in file order; locked, so
 * that two replays cannot take the same row.
 */
export async function selectCorrectedRejects(
  db: Queryable,
  tenantId: string,
  runId: string,
  { rejectIds, takesOpen }: { readonly rejectIds: readonly string[] | null; readonly takesOpen: boolean },
): Promise<CorrectedReject[]> {
  const { rows } = await db.query<CorrectedReject>({
    name: 'engine-select-corrected-rejects',
    text: `
      select reject_id::text as reject_id, line, byte_offset, item, coalesce(correction, '{"cells": {}}') as correction
      from engine.rejects
      where tenant_id = $1 and run_id = $2 and (status = 'corrected' or $4::boolean and status = 'open')
        and ($3::bigint[] is null or reject_id = any ($3::bigint[]))
      order by line, reject_id
      for update`,
    values: [tenantId, runId, rejectIds, takesOpen],
  });
  return rows;
}

/** They are on their way in another run now. */
export async function markReplayed(
  db: Queryable,
  tenantId: string,
  runId: string,
  rejectIds: readonly string[],
  replayedAs: string,
): Promise<void> {
  await db.query({
    name: 'engine-mark-replayed',
    text: `
      update engine.rejects
      set status = 'replayed', replayed_as = $4
      where tenant_id = $1 and run_id = $2 and reject_id = any ($3::bigint[])`,
    values: [tenantId, runId, rejectIds, replayedAs],
  });
}

/** A replay that ended well settles the rows it took. Rows it refused again are rejects of its own. */
export async function resolveReplayed(db: Queryable, replayRunIds: readonly string[]): Promise<void> {
  await db.query({
    name: 'engine-resolve-replayed',
    text: `
      update engine.rejects j
      set status = 'resolved'
      from engine.runs r
      where r.id = any ($1::uuid[]) and r.input ? 'rejects_of'
        and j.run_id = (r.input ->> 'rejects_of')::uuid and j.replayed_as = r.id and j.status = 'replayed'`,
    values: [replayRunIds],
  });
}
