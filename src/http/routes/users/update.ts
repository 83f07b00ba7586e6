// PATCH /v1/users/:user_id
import { changeUser } from '../../../access/users.ts';
import { handle } from '../../call.ts';
import { wire } from '../../wire.ts';
import { change } from '../change.ts';

export const updateUser = handle('users.update', async (call) => {
  const { user_id: userId } = call.params;
  const { role, disabled } = call.body;
  const user = await change(
    call,
    (db, tenantId) => changeUser(db, tenantId, userId, call.body),
    () => ({ target: userId, data: { ...(role ? { role } : {}), ...(disabled === undefined ? {} : { disabled }) } }),
  );
  call.app.authenticator.forget(call.principal.tenantId, userId);
  return wire(user);
});
