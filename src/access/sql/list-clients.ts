// Clients of a tenant, in the order they were added.
import type { Queryable } from '../../platform/database.ts';

export interface ClientRow {
  readonly client_id: string;
  readonly name: string;
  readonly created_at: Date;
}

export async function listClients(
  db: Queryable,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<ClientRow[]> {
  const { rows } = await db.query<ClientRow>({
    name: 'access-list-clients',
    text: `
      select client_id, name, created_at from public.clients
      where tenant_id = $1 and ($2::uuid is null or client_id > $2)
      order by client_id limit $3`,
    values: [tenantId, after, limit],
  });
  return rows;
}

export async function findClient(db: Queryable, tenantId: string, clientId: string): Promise<ClientRow | undefined> {
  const { rows } = await db.query<ClientRow>({
    name: 'access-find-client',
    text: 'select client_id, name, created_at from public.clients where tenant_id = $1 and client_id = $2',
    values: [tenantId, clientId],
  });
  return rows[0];
}
