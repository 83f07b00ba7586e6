// AUTH_ENABLED=false: for trying Millrace on one's own machine. Everybody who reaches the port is an admin of the first tenant, so it is
// refused unless the server listens on loopback only.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Pool } from '../platform/database.ts';
import { isLoopback } from '../platform/loopback.ts';
import { listTenants } from './operator.ts';
import type { Principal } from './principal.ts';

export function requireLoopbackWithoutAuthentication(options: { authEnabled: boolean; host: string }): void {
  if (!options.authEnabled && !isLoopback(options.host))
    throw new MillraceError('auth_off_exposed', { host: options.host });
}

/** The principal of every request while authentication is off. `tenantId` may name another tenant of this installation. */
export async function localPrincipal(pool: Pool, tenantId?: string): Promise<Principal> {
  const tenants = await listTenants(pool);
  const tenant = tenantId === undefined ? tenants[0] : tenants.find((each) => each.tenant_id === tenantId);
  if (tenant === undefined) throw new MillraceError('tenant_not_found', { tenant: tenantId ?? '(none yet)' });
  return {
    kind: 'local',
    tenantId: tenant.tenant_id,
    actorId: '00000000-0000-0000-0000-000000000000',
    actor: 'local',
    role: 'admin',
    scopes: null,
    mustChangePassword: false,
    expiresAt: null,
  };
}
