// POST /v1/clients
import { addClient } from '../../../access/clients.ts';
import { handle } from '../../call.ts';
import { wire } from '../../wire.ts';
import { change } from '../change.ts';

export const createClient = handle('clients.create', async (call) =>
  wire(
    await change(
      call,
      (db, tenantId) => addClient(db, tenantId, call.body.name),
      (added) => ({ target: added.client_id }),
    ),
  ),
);
