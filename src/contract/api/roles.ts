// Who may call: roles of people, scopes of programs, and the rule each route carries. Free of zod, so that the console can import it.

/** admin runs the tenant · user submits work and reads · support handles dead letters · service is a program. */
export const roles = ['admin', 'user', 'support', 'service'] as const;
export type Role = (typeof roles)[number];

/** What an API key may be allowed. A route without a scope is for people only. */
export const scopes = {
  'uploads:write': 'upload files',
  'runs:read': 'see runs, events and rejects',
  'runs:write': 'hold, cancel, retry and correct runs',
  'data:read': 'read the stored rows',
  'operate:read': 'see workers, lanes, schedules and metrics',
  'operate:write': 'pause and resume pipelines',
} as const;
export type Scope = keyof typeof scopes;

export type Access =
  | { readonly kind: 'public' }
  | {
      readonly kind: 'roles';
      readonly roles: readonly Role[];
      readonly scope: Scope | null;
      /** Every API key may call it, whatever its scopes. */
      readonly openToKeys?: boolean;
    };

export const anyone: Access = { kind: 'public' };

/** Every signed-in person and every program, whatever its scopes. */
export const signedIn: Access = { kind: 'roles', roles, scope: null, openToKeys: true };

export function allow(allowed: readonly Role[], scope: Scope | null = null): Access {
  return { kind: 'roles', roles: allowed, scope };
}
