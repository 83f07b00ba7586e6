// Adds, renames and removes clients.
import type { Queryable } from '../../platform/database.ts';
import type { ClientRow } from './list-clients.ts';

export async function insertClient(
  db: Queryable,
  tenantId: string,
  clientId: string,
  name: string,
): Promise<ClientRow> {
  const { rows } = await db.query<ClientRow>({
    name: 'access-insert-client',
    text: `
      insert into public.clients (client_id, tenant_id, name) values ($1, $2, $3)
      returning client_id, name, created_at`,
    values: [clientId, tenantId, name],
  });
  return rows[0] as ClientRow;
}

export async function renameClient(
  db: Queryable,
  tenantId: string,
  clientId: string,
  name: string,
): Promise<ClientRow | undefined> {
  const { rows } = await db.query<ClientRow>({
    name: 'access-rename-client',
    text: `
      update public.clients set name = $3 where tenant_id = $1 and client_id = $2
      returning client_id, name, created_at`,
    values: [tenantId, clientId, name],
  });
  return rows[0];
}

export async function deleteClient(db: Queryable, tenantId: string, clientId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'access-delete-client',
    text: 'delete from public.clients where tenant_id = $1 and client_id = $2',
    values: [tenantId, clientId],
  });
  return rowCount === 1;
}
