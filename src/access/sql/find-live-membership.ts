// The membership that lets a support person into this tenant now, if there is one.
import type { Queryable } from '../../platform/database.ts';

export interface LiveMembershipRow {
  readonly membership_id: string;
  readonly expires_at: Date;
}

export async function findLiveMembership(
  db: Queryable,
  tenantId: string,
  userId: string,
): Promise<LiveMembershipRow | undefined> {
  const { rows } = await db.query<LiveMembershipRow>({
    name: 'access-find-live-membership',
    text: `
      select membership_id, expires_at
      from public.memberships
      where tenant_id = $1 and user_id = $2 and revoked_at is null and expires_at > engine.now()
      order by expires_at desc
      limit 1`,
    values: [tenantId, userId],
  });
  return rows[0];
}
