// POST /v1/users
import { addUser, prepareOneTimePassword } from '../../../access/users.ts';
import { handle } from '../../call.ts';
import { wire } from '../../wire.ts';
import { change } from '../change.ts';

export const createUser = handle('users.create', async (call) => {
  const { password, hash } = await prepareOneTimePassword();
  const user = await change(
    call,
    (db, tenantId) => addUser(db, tenantId, call.body, hash),
    (added) => ({ target: added.user_id, data: { role: added.role } }),
  );
  return { ...wire(user), one_time_password: password };
});
