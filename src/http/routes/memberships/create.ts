// POST /v1/memberships
import { grantMembership } from '../../../access/memberships.ts';
import { handle } from '../../call.ts';
import { wire } from '../../wire.ts';
import { change } from '../change.ts';

export const createMembership = handle('memberships.create', async (call) => {
  const { principal, body } = call;
  const grantedBy = principal.kind === 'user' ? principal.actorId : null;
  return wire(
    await change(
      call,
      (db, tenantId) => grantMembership(db, tenantId, { ...body, grantedBy }),
      (membership) => ({ target: membership.membership_id, data: { user: membership.user_id, hours: body.hours } }),
    ),
  );
});
