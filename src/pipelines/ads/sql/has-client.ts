import type { Queryable } from '../../../platform/database.ts';

export async function hasClient(db: Queryable, tenantId: string, clientId: string): Promise<boolean> {
  const { rows } = await db.query({
    name: 'ads-has-client',
    text: `select from clients where tenant_id = $1 and client_id = $2`,
    values: [tenantId, clientId],
  });
  return rows.length > 0;
}
