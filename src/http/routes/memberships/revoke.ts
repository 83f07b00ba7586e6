// DELETE /v1/memberships/:membership_id
import { endMembership } from '../../../access/memberships.ts';
import { handle } from '../../call.ts';
import { change } from '../change.ts';

export const revokeMembership = handle('memberships.revoke', async (call) => {
  const { membership_id: membershipId } = call.params;
  const userId = await change(
    call,
    (db, tenantId) => endMembership(db, tenantId, membershipId),
    () => ({ target: membershipId }),
  );
  call.app.authenticator.forget(call.principal.tenantId, userId);
  return undefined;
});
