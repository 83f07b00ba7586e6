// As documents_cleanup, which sees half-built versions of every tenant and nothing else.
import type { Queryable } from '../../../platform/database.ts';
import { lookUpByIndex } from './look-up-by-index.ts';

export async function listHalfBuilt(tx: Queryable, days: number, limit: number): Promise<string[]> {
  const { rows } = await tx.query<{ run_id: string }>({
    name: 'documents-list-half-built',
    text: `
      select v.run_id from public.document_versions v
      where v.ready_at is null and v.created_at < (select engine.now()) - make_interval(days => $1)
      order by v.created_at
      limit $2`,
    values: [days, limit],
  });
  return rows.map(({ run_id }) => run_id);
}

/** With its pages and chunks. A run has one version at most. */
export async function deleteHalfBuilt(tx: Queryable, runId: string): Promise<number> {
  await lookUpByIndex(tx);
  const { rowCount } = await tx.query({
    name: 'documents-delete-half-built',
    text: `delete from public.document_versions v where v.run_id = $1 and v.ready_at is null`,
    values: [runId],
  });
  return rowCount ?? 0;
}
