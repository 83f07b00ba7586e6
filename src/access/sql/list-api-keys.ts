// API keys of a tenant: everything but the secret's hash. Also making and revoking one.
import type { Scope } from '../../contract/api/roles.ts';
import type { Queryable } from '../../platform/database.ts';

export interface ApiKeyRow {
  readonly key_id: string;
  readonly name: string;
  readonly scopes: Scope[];
  readonly created_at: Date;
  readonly created_by: string | null;
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
}

const columns = 'key_id, name, scopes, created_at, created_by, expires_at, last_used_at, revoked_at';

export async function listApiKeys(
  db: Queryable,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<ApiKeyRow[]> {
  const { rows } = await db.query<ApiKeyRow>({
    name: 'access-list-api-keys',
    text: `
      select ${columns} from public.api_keys
      where tenant_id = $1 and ($2::uuid is null or key_id > $2)
      order by key_id limit $3`,
    values: [tenantId, after, limit],
  });
  return rows;
}

export interface ApiKeyInsert {
  readonly keyId: string;
  readonly tenantId: string;
  readonly name: string;
  readonly secretHash: Buffer;
  readonly scopes: readonly Scope[];
  readonly createdBy: string | null;
  readonly expiresAt: string | null;
}

export async function insertApiKey(db: Queryable, key: ApiKeyInsert): Promise<ApiKeyRow> {
  const { rows } = await db.query<ApiKeyRow>({
    name: 'access-insert-api-key',
    text: `
      insert into public.api_keys (key_id, tenant_id, name, secret_hash, scopes, created_by, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7)
      returning ${columns}`,
    values: [key.keyId, key.tenantId, key.name, key.secretHash, key.scopes, key.createdBy, key.expiresAt],
  });
  return rows[0] as ApiKeyRow;
}

/** Revoking twice is as good as once. */
export async function revokeApiKey(db: Queryable, tenantId: string, keyId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'access-revoke-api-key',
    text: `
      update public.api_keys set revoked_at = coalesce(revoked_at, engine.now())
      where tenant_id = $1 and key_id = $2`,
    values: [tenantId, keyId],
  });
  return rowCount === 1;
}
