// DELETE /v1/users/:user_id
import { removeUser as deleteUser } from '../../../access/users.ts';
import { handle } from '../../call.ts';
import { change } from '../change.ts';

export const removeUser = handle('users.remove', async (call) => {
  const { user_id: userId } = call.params;
  await change(
    call,
    (db, tenantId) => deleteUser(db, tenantId, userId),
    () => ({ target: userId }),
  );
  call.app.authenticator.forget(call.principal.tenantId, userId);
  return undefined;
});
