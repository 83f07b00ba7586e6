// Who is asking: the outcome of authentication and the only source of the tenant. Also the one rule for who may call a route.
import type { Access, Role, Scope } from '../contract/api/roles.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';

export interface Principal {
  /** user: a person's token · key: an API key · local: AUTH_ENABLED=false on loopback. */
  readonly kind: 'user' | 'key' | 'local';
  /** The tenant this request works in. */
  readonly tenantId: string;
  /** The user, or the API key. */
  readonly actorId: string;
  /** For the audit log and for people: an email address or a key's name. */
  readonly actor: string;
  readonly role: Role;
  /** null: everything the role may do. */
  readonly scopes: readonly Scope[] | null;
  readonly mustChangePassword: boolean;
  readonly expiresAt: Date | null;
  /** Set when a support person reaches a tenant that is not their own. */
  readonly membershipId?: string;
}

/** Who asks, as runs and files name their maker: a user or an API key. Without sign-in (`local`) there is none. */
export function makerOf({ kind, actorId }: Pick<Principal, 'kind' | 'actorId'>): string | undefined {
  return kind === 'local' ? undefined : actorId;
}

/** Throws unless this principal may call a route with this rule. */
export function authorize(principal: Principal, access: Access): void {
  if (access.kind === 'public') return;
  if (!access.roles.includes(principal.role)) {
    throw new MillraceError('forbidden', { role: principal.role, allowed: access.roles.join(', ') });
  }
  if (principal.scopes !== null) authorizeKey(principal.scopes, access);
}

/** A route that everyone signed in may call needs no scope; one for people names no scope at all. */
function authorizeKey(scopes: readonly Scope[], access: Extract<Access, { kind: 'roles' }>): void {
  if (access.openToKeys) return;
  if (access.scope === null) throw new MillraceError('people_only');
  if (!scopes.includes(access.scope)) throw new MillraceError('scope_missing', { scope: access.scope });
}
