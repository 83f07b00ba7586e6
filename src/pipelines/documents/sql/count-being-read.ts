import type { Queryable } from '../../../platform/database.ts';

/** Documents that are taken but not served yet, among the newest few hundred: what waits is among them. */
export async function countBeingRead(db: Queryable, tenantId: string, most: number): Promise<number> {
  const { rows } = await db.query<{ documents: number }>({
    name: 'search-count-being-read',
    text: `
      select count(*) as documents
      from (select r.finished_at from engine.runs r
            where r.tenant_id = $1 and r.pipeline = 'documents'
            order by r.id desc
            limit $2) newest
      where newest.finished_at is null`,
    values: [tenantId, most],
  });
  return rows[0]?.documents ?? 0;
}
