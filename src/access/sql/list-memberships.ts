// Memberships of a tenant: which support people of other tenants may reach it. Also granting and ending one.
import type { Queryable } from '../../platform/database.ts';

export interface MembershipRow {
  readonly membership_id: string;
  readonly user_id: string;
  readonly email: string;
  readonly reason: string;
  readonly granted_by: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
}

const columns = 'membership_id, user_id, email, reason, granted_by, created_at, expires_at, revoked_at';

export async function listMemberships(
  db: Queryable,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<MembershipRow[]> {
  const { rows } = await db.query<MembershipRow>({
    name: 'access-list-memberships',
    text: `
      select ${columns} from public.memberships
      where tenant_id = $1 and ($2::uuid is null or membership_id > $2)
      order by membership_id limit $3`,
    values: [tenantId, after, limit],
  });
  return rows;
}

export interface MembershipInsert {
  readonly membershipId: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly email: string;
  readonly reason: string;
  readonly grantedBy: string | null;
  readonly hours: number;
}

export async function insertMembership(db: Queryable, membership: MembershipInsert): Promise<MembershipRow> {
  const { rows } = await db.query<MembershipRow>({
    name: 'access-insert-membership',
    text: `
      insert into public.memberships (membership_id, tenant_id, user_id, email, reason, granted_by, expires_at)
      values ($1, $2, $3, $4, $5, $6, engine.now() + make_interval(hours => $7))
      returning ${columns}`,
    values: [
      membership.membershipId,
      membership.tenantId,
      membership.userId,
      membership.email,
      membership.reason,
      membership.grantedBy,
      membership.hours,
    ],
  });
  return rows[0] as MembershipRow;
}

/** Whose it was; undefined when there is none of this id. */
export async function revokeMembership(
  db: Queryable,
  tenantId: string,
  membershipId: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ user_id: string }>({
    name: 'access-revoke-membership',
    text: `
      update public.memberships set revoked_at = coalesce(revoked_at, engine.now())
      where tenant_id = $1 and membership_id = $2
      returning user_id`,
    values: [tenantId, membershipId],
  });
  return rows[0]?.user_id;
}
