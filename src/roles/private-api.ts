// The HTTP API for one command on this machine: on a free loopback port, open only to the random token that the command holds.
// Through it the operator acts as one tenant, so that a command does exactly what the console and other programs do.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Authenticator } from '../access/authenticate.ts';
import type { Principal } from '../access/principal.ts';
import { loadSecrets } from '../access/secrets.ts';
import type { Role } from '../contract/api/roles.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { startApi } from '../http/start-api.ts';
import type { Pool } from '../platform/database.ts';
import type { Installation } from './installation.ts';
import { apiDeps } from './open-api.ts';
import type { RoleProcess } from './role-process.ts';

export interface PrivateApi {
  readonly url: string;
  readonly token: string;
}

const NOBODY = '00000000-0000-0000-0000-000000000000';
const TOKEN_BYTES = 32;

export async function openPrivateApi(
  process: RoleProcess,
  installation: Installation,
  pool: Pool,
  as: { readonly tenantId: string; readonly role: Role },
): Promise<PrivateApi> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const secrets = await loadSecrets({ jwtSecret: process.config.jwtSecret, home: process.config.home });
  const deps = apiDeps(process, installation, pool, secrets);
  const api = await startApi({
    ...deps,
    settings: { ...deps.settings, host: '127.0.0.1', port: 0, authEnabled: true, trustProxy: false, pages: false },
    authenticator: onlyFor(token, as),
  });
  process.shutdown.add('private http server', () => api.close());
  return { url: api.url, token };
}

function onlyFor(token: string, { tenantId, role }: { tenantId: string; role: Role }): Authenticator {
  const expected = Buffer.from(token);
  const principal: Principal = {
    kind: 'local',
    tenantId,
    actorId: NOBODY,
    actor: 'operator',
    role,
    scopes: null,
    mustChangePassword: false,
    expiresAt: null,
  };
  return {
    async authenticate(credential) {
      const given = Buffer.from(credential);
      if (given.length !== expected.length || !timingSafeEqual(given, expected))
        throw new MillraceError('unauthenticated');
      return principal;
    },
    forget() {},
  };
}
