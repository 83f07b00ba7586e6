// DELETE /v1/api-keys/:key_id
import { revokeApiKey as revoke } from '../../../access/sql/list-api-keys.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { handle } from '../../call.ts';
import { change } from '../change.ts';

export const revokeApiKey = handle('api-keys.revoke', async (call) => {
  const { key_id: keyId } = call.params;
  await change(
    call,
    async (db, tenantId) => {
      if (!(await revoke(db, tenantId, keyId))) throw new MillraceError('api_key_not_found', { key: keyId });
    },
    () => ({ target: keyId }),
  );
  call.app.authenticator.forget(call.principal.tenantId, keyId);
  return undefined;
});
