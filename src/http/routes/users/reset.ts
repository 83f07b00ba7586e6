// POST /v1/users/:user_id/password: a new one-time password; the user's sessions end.
import { giveOneTimePassword, prepareOneTimePassword } from '../../../access/users.ts';
import { handle } from '../../call.ts';
import { wire } from '../../wire.ts';
import { change } from '../change.ts';

export const resetUser = handle('users.reset', async (call) => {
  const { user_id: userId } = call.params;
  const { password, hash } = await prepareOneTimePassword();
  const user = await change(
    call,
    (db, tenantId) => giveOneTimePassword(db, tenantId, userId, hash),
    () => ({ target: userId }),
  );
  call.app.authenticator.forget(call.principal.tenantId, userId);
  return { ...wire(user), one_time_password: password };
});
