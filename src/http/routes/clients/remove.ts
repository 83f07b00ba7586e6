// DELETE /v1/clients/:client_id
import { removeClient as deleteClient } from '../../../access/clients.ts';
import { handle } from '../../call.ts';
import { change } from '../change.ts';

export const removeClient = handle('clients.remove', async (call) => {
  const { client_id: clientId } = call.params;
  await change(
    call,
    (db, tenantId) => deleteClient(db, tenantId, clientId),
    () => ({ target: clientId }),
  );
  return undefined;
});
