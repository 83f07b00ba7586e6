// Granting a support person of any tenant a way into this one, for a limited time.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Queryable } from '../platform/database.ts';
import { uuidv7 } from '../platform/ids.ts';
import { findLogin } from './sql/find-login.ts';
import { insertMembership, type MembershipRow, revokeMembership } from './sql/list-memberships.ts';

export interface Grant {
  readonly email: string;
  readonly reason: string;
  readonly hours: number;
  readonly grantedBy: string | null;
}

/** Accounts that are no support people answer like addresses nobody has. */
export async function grantMembership(db: Queryable, tenantId: string, grant: Grant): Promise<MembershipRow> {
  const account = await findLogin(db, grant.email.trim().toLowerCase());
  const isSupport = account?.role === 'support' && account.disabled_at === null;
  if (account === undefined || !isSupport) throw new MillraceError('support_unknown');
  return insertMembership(db, {
    membershipId: uuidv7(),
    tenantId,
    userId: account.user_id,
    email: account.email,
    reason: grant.reason,
    grantedBy: grant.grantedBy,
    hours: grant.hours,
  });
}

/** Returns whose it was. */
export async function endMembership(db: Queryable, tenantId: string, membershipId: string): Promise<string> {
  const userId = await revokeMembership(db, tenantId, membershipId);
  if (userId === undefined) throw new MillraceError('membership_not_found', { membership: membershipId });
  return userId;
}
