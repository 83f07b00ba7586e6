// POST /v1/api-keys: the only answer that ever holds the key itself.
import { makeApiKey } from '../../../access/api-key-text.ts';
import { insertApiKey } from '../../../access/sql/list-api-keys.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { uuidv7 } from '../../../platform/ids.ts';
import { handle } from '../../call.ts';
import { wire } from '../../wire.ts';
import { change } from '../change.ts';

export const createApiKey = handle('api-keys.create', async (call) => {
  const { principal, body } = call;
  if (body.expires_at !== undefined && Date.parse(body.expires_at) <= Date.now())
    throw new MillraceError('api_key_already_expired', { at: body.expires_at });
  const keyId = uuidv7();
  const { text, secretHash } = makeApiKey(principal.tenantId, keyId);
  const key = await change(
    call,
    (db, tenantId) =>
      insertApiKey(db, {
        keyId,
        tenantId,
        name: body.name,
        secretHash,
        scopes: body.scopes,
        createdBy: principal.kind === 'user' ? principal.actorId : null,
        expiresAt: body.expires_at ?? null,
      }),
    () => ({ target: keyId, data: { scopes: body.scopes } }),
  );
  return { ...wire(key), key: text };
});
