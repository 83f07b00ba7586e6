// GET /v1/users/:user_id
import { requireUser } from '../../../access/users.ts';
import { handle } from '../../call.ts';
import { wire } from '../../wire.ts';
import { look } from '../change.ts';

export const showUser = handle('users.show', async (call) =>
  wire(await look(call, (db, tenantId) => requireUser(db, tenantId, call.params.user_id))),
);
