// A live API key of the tenant its text names, and the note that it was used (at most once a minute).
import type { Scope } from '../../contract/api/roles.ts';
import type { Queryable } from '../../platform/database.ts';

export interface ApiKeySecretRow {
  readonly key_id: string;
  readonly name: string;
  readonly secret_hash: Buffer;
  readonly scopes: Scope[];
  readonly expires_at: Date | null;
}

export async function findApiKey(db: Queryable, tenantId: string, keyId: string): Promise<ApiKeySecretRow | undefined> {
  const { rows } = await db.query<ApiKeySecretRow>({
    name: 'access-find-api-key',
    text: `
      select key_id, name, secret_hash, scopes, expires_at
      from public.api_keys
      where tenant_id = $1 and key_id = $2 and revoked_at is null and (expires_at is null or expires_at > engine.now())`,
    values: [tenantId, keyId],
  });
  return rows[0];
}

export async function noteApiKeyUse(db: Queryable, tenantId: string, keyId: string): Promise<void> {
  await db.query({
    name: 'access-note-api-key-use',
    text: `
      update public.api_keys set last_used_at = engine.now()
      where tenant_id = $1 and key_id = $2
        and (last_used_at is null or last_used_at < engine.now() - interval '1 minute')`,
    values: [tenantId, keyId],
  });
}
