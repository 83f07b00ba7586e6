// What only the operator of the installation may do, from the command line: tenants, plans, users of any tenant, lost passwords.
// The audit log of the tenant concerned records every action.
import { type Role, roles } from '../contract/api/roles.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Pool, Queryable } from '../platform/database.ts';
import { uuidv7 } from '../platform/ids.ts';
import { insertAuditEntry } from './sql/insert-audit-entry.ts';
import { findTenant, type Plan, listTenants as selectTenants, type TenantRow } from './sql/list-tenants.ts';
import { listUsers as selectUsers, type UserRow } from './sql/list-users.ts';
import {
  deleteTrialTenant,
  insertTenant,
  insertTrialTenant,
  listTrialTenants,
  lockFirstStart,
  updateTenantPlan,
} from './sql/write-tenant.ts';
import { asOperator } from './tenant-session.ts';
import { addUser, giveOneTimePassword, prepareOneTimePassword } from './users.ts';

export interface UserWithPassword {
  readonly user: UserRow;
  readonly oneTimePassword: string;
}

const plans: readonly Plan[] = ['free', 'growth', 'enterprise'];
// A name is shown in terminals, too.
const tenantName = /^\P{Cc}{1,200}$/u;
const MAX_USERS_LISTED = 10_000;

export function listTenants(pool: Pool): Promise<TenantRow[]> {
  return asOperator(pool, selectTenants);
}

export async function createTenant(pool: Pool, given: { name: string; plan?: string }): Promise<TenantRow> {
  const plan = requirePlan(given.plan ?? 'free');
  const name = requireTenantName(given.name);
  return asOperator(pool, async (db) => {
    const tenant = await insertTenant(db, uuidv7(), name, plan);
    await note(db, tenant.tenant_id, 'tenants.create', tenant.tenant_id, { plan });
    return tenant;
  });
}

export async function setPlan(pool: Pool, tenantId: string, plan: string): Promise<TenantRow> {
  const wanted = requirePlan(plan);
  return asOperator(pool, async (db) => {
    const tenant = await updateTenantPlan(db, tenantId, wanted);
    if (tenant === undefined) throw new MillraceError('tenant_not_found', { tenant: tenantId });
    await note(db, tenantId, 'tenants.plan', tenantId, { plan: wanted });
    return tenant;
  });
}

export function listUsers(pool: Pool, tenantId: string): Promise<UserRow[]> {
  return asOperator(pool, async (db) => {
    await requireTenant(db, tenantId);
    return selectUsers(db, tenantId, null, MAX_USERS_LISTED);
  });
}

export async function createUser(
  pool: Pool,
  given: { tenantId: string; email: string; role: string; name?: string },
): Promise<UserWithPassword> {
  const role = requireRole(given.role);
  const { password, hash } = await prepareOneTimePassword();
  const user = await asOperator(pool, async (db) => {
    await requireTenant(db, given.tenantId);
    const added = await addUser(db, given.tenantId, { email: given.email, name: given.name, role }, hash);
    await note(db, given.tenantId, 'users.create', added.user_id, { role });
    return added;
  });
  return { user, oneTimePassword: password };
}

/** Finds the user by id within the tenant and gives them a new one-time password; their sessions end. */
export async function resetPassword(pool: Pool, tenantId: string, userId: string): Promise<UserWithPassword> {
  const { password, hash } = await prepareOneTimePassword();
  const user = await asOperator(pool, async (db) => {
    const changed = await giveOneTimePassword(db, tenantId, userId, hash);
    await note(db, tenantId, 'users.reset', userId, {});
    return changed;
  });
  return { user, oneTimePassword: password };
}

/**
 * The first start: when there is no tenant at all, makes one with one admin and returns the one-time password, to be printed once.
 * Several processes may start at the same moment; one of them gets the password, the others undefined.
 */
export async function ensureFirstTenant(
  pool: Pool,
  names = { tenant: 'Demo', email: 'admin@millrace.local' },
): Promise<(UserWithPassword & { tenant: TenantRow }) | undefined> {
  if ((await listTenants(pool)).length > 0) return undefined;
  const { password, hash } = await prepareOneTimePassword();
  return asOperator(pool, async (db) => {
    await lockFirstStart(db);
    if ((await selectTenants(db)).length > 0) return undefined;
    const tenant = await insertTenant(db, uuidv7(), names.tenant, 'free');
    // Its password is random and printed to the operator alone, so a change is advised, not forced: the first call just works.
    const user = await addUser(db, tenant.tenant_id, { email: names.email, role: 'admin' }, hash, false);
    await note(db, tenant.tenant_id, 'tenants.create', tenant.tenant_id, { first: true });
    return { tenant, user, oneTimePassword: password };
  });
}

/** A tenant for one command on an installation that has none, without people; undefined when there is one already. */
export async function makeTrialTenant(pool: Pool): Promise<string | undefined> {
  return asOperator(pool, async (db) => {
    await lockFirstStart(db);
    for (const left of await listTrialTenants(db)) await deleteTrialTenant(db, left);
    if ((await selectTenants(db)).length > 0) return undefined;
    const tenantId = uuidv7();
    await insertTrialTenant(db, tenantId);
    await note(db, tenantId, 'tenants.create', tenantId, { trial: true });
    return tenantId;
  });
}

export async function removeTrialTenant(pool: Pool, tenantId: string): Promise<void> {
  await asOperator(pool, async (db) => {
    if (await deleteTrialTenant(db, tenantId)) await note(db, tenantId, 'tenants.remove', tenantId, { trial: true });
  });
}

async function requireTenant(db: Queryable, tenantId: string): Promise<void> {
  if ((await findTenant(db, tenantId)) === undefined) throw new MillraceError('tenant_not_found', { tenant: tenantId });
}

function requireTenantName(given: string): string {
  const name = given.trim();
  if (!tenantName.test(name)) throw new MillraceError('tenant_name_invalid');
  return name;
}

function requirePlan(plan: string): Plan {
  const known = plans.find((each) => each === plan);
  if (known === undefined) throw new MillraceError('plan_unknown', { plan });
  return known;
}

function requireRole(role: string): Role {
  const known = roles.find((each) => each === role);
  if (known === undefined) throw new MillraceError('role_unknown', { role });
  return known;
}

function note(
  db: Queryable,
  tenantId: string,
  action: string,
  target: string,
  data: Record<string, unknown>,
): Promise<void> {
  return insertAuditEntry(db, {
    tenantId,
    action,
    outcome: 'done',
    actorId: null,
    actor: 'operator',
    actorRole: null,
    target,
    ip: null,
    correlationId: null,
    data,
  });
}
