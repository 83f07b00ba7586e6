// Clients: the labels inside a tenant. Names are unique there; one that stored numbers refer to stays.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Queryable } from '../platform/database.ts';
import { isUniqueViolation, sqlStateOf } from '../platform/database-errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import { type ClientRow, findClient } from './sql/list-clients.ts';
import { deleteClient, insertClient, renameClient } from './sql/write-client.ts';

const FOREIGN_KEY_VIOLATION = '23503';

export async function requireClient(db: Queryable, tenantId: string, clientId: string): Promise<ClientRow> {
  return (await findClient(db, tenantId, clientId)) ?? missing(clientId);
}

export function addClient(db: Queryable, tenantId: string, name: string): Promise<ClientRow> {
  return insertClient(db, tenantId, uuidv7(), name).catch((error: unknown) => nameTaken(error, name));
}

export async function changeClient(
  db: Queryable,
  tenantId: string,
  clientId: string,
  name: string,
): Promise<ClientRow> {
  const row = await renameClient(db, tenantId, clientId, name).catch((error: unknown) => nameTaken(error, name));
  return row ?? missing(clientId);
}

export async function removeClient(db: Queryable, tenantId: string, clientId: string): Promise<void> {
  const removed = await deleteClient(db, tenantId, clientId).catch((error: unknown) => {
    if (sqlStateOf(error) === FOREIGN_KEY_VIOLATION)
      throw new MillraceError('client_in_use', { client: clientId }, { cause: error });
    throw error;
  });
  if (!removed) missing(clientId);
}

function nameTaken(error: unknown, name: string): never {
  if (isUniqueViolation(error)) throw new MillraceError('client_name_taken', { name }, { cause: error });
  throw error;
}

function missing(clientId: string): never {
  throw new MillraceError('client_not_found', { client: clientId });
}
