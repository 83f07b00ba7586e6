// GET /v1/clients/:client_id
import { requireClient } from '../../../access/clients.ts';
import { handle } from '../../call.ts';
import { wire } from '../../wire.ts';
import { look } from '../change.ts';

export const showClient = handle('clients.show', async (call) =>
  wire(await look(call, (db, tenantId) => requireClient(db, tenantId, call.params.client_id))),
);
