// Which tenant a command means.
import { listTenants } from '../access/operator.ts';
import type { TenantRow } from '../access/sql/list-tenants.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Pool } from '../platform/database.ts';

/** Commands find tenants by their names, so two of one name would be of use to nobody. */
export async function requireNewName(pool: Pool, name: string): Promise<void> {
  const taken = (await listTenants(pool)).find((tenant) => tenant.name === name.trim());
  if (taken) throw new MillraceError('tenant_name_taken', { tenant: taken.name, id: taken.tenant_id });
}

/** The tenant a command means: the one it names by name or id, or the only one there is. */
export async function chooseTenant(pool: Pool, wanted: string | undefined): Promise<TenantRow> {
  const tenants = await listTenants(pool);
  if (wanted !== undefined) {
    const named = tenants.filter((tenant) => tenant.tenant_id === wanted || tenant.name === wanted);
    if (named.length > 1) throw new MillraceError('tenant_name_shared', { count: named.length, tenant: wanted });
    if (named[0]) return named[0];
    throw new MillraceError('tenant_not_found', { tenant: wanted });
  }
  const [only] = tenants;
  if (only && tenants.length === 1) return only;
  if (!only) throw new MillraceError('tenant_none');
  throw new MillraceError('tenant_unclear', { count: tenants.length });
}
