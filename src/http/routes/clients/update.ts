// PATCH /v1/clients/:client_id
import { changeClient } from '../../../access/clients.ts';
import { handle } from '../../call.ts';
import { wire } from '../../wire.ts';
import { change } from '../change.ts';

export const updateClient = handle('clients.update', async (call) => {
  const { client_id: clientId } = call.params;
  return wire(
    await change(
      call,
      (db, tenantId) => changeClient(db, tenantId, clientId, call.body.name),
      () => ({ target: clientId }),
    ),
  );
});
