// Errors of the front door's people: sign-in, tokens, roles, tenants, keys, memberships.
import { defineErrors } from './entry.ts';

export const accessErrors = defineErrors({
  unauthenticated: {
    kind: 'auth',
    status: 401,
    message: 'This needs a valid sign-in or API key.',
    next: 'Sign in again, or send "Authorization: Bearer <token or API key>".',
  },
  login_refused: {
    kind: 'auth',
    status: 401,
    message: 'Email or password is not right.',
    next: 'Check both; an admin of your tenant can give you a new one-time password.',
  },
  login_limited: {
    kind: 'rate_limited',
    status: 429,
    message: 'There were too many sign-in attempts.',
    next: 'Wait {seconds} s before the next attempt.',
  },
  password_change_required: {
    kind: 'auth',
    status: 403,
    message: 'The one-time password must be changed before anything else.',
    next: 'Choose a new password: POST /v1/auth/password.',
  },
  password_weak: {
    kind: 'input',
    status: 422,
    message: 'The new password is not accepted: {reason}.',
    next: 'Choose a longer one that you have not used here.',
  },
  people_only: {
    kind: 'auth',
    status: 403,
    message: 'This can only be done by a signed-in person, not with an API key.',
    next: 'Sign in with email and password.',
  },
  forbidden: {
    kind: 'auth',
    status: 403,
    message: 'The role "{role}" may not do this.',
    next: 'Ask someone with one of these roles: {allowed}.',
  },
  scope_missing: {
    kind: 'auth',
    status: 403,
    message: 'The API key lacks the scope "{scope}".',
    next: 'Make a key with that scope.',
  },
  workspace_mismatch: {
    kind: 'auth',
    status: 403,
    message: 'The workspace_id given is not the tenant of this sign-in.',
    next: 'Leave workspace_id out, or sign in to that tenant.',
  },
  tenant_unreachable: {
    kind: 'auth',
    status: 403,
    message: 'This sign-in does not reach the tenant named in Millrace-Tenant.',
    next: 'Ask an admin of that tenant for a membership.',
  },
  tenant_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no tenant {tenant}.',
    next: '"millrace tenants list" shows them.',
  },
  plan_unknown: {
    kind: 'input',
    status: 422,
    message: 'There is no plan "{plan}".',
    next: 'Use free, growth or enterprise.',
  },
  user_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no user {user}.',
    next: 'Check the id; GET /v1/users lists the users of your tenant.',
  },
  email_taken: {
    kind: 'conflict',
    status: 409,
    message: 'This email address cannot be used for a new user.',
    next: 'Use another address.',
  },
  email_invalid: {
    kind: 'input',
    status: 422,
    message: '"{email}" is not an email address.',
    next: 'Give an address like name@example.com.',
  },
  last_admin: {
    kind: 'conflict',
    status: 409,
    message: 'User {user} is the last admin of the tenant.',
    next: 'Make someone else an admin first.',
  },
  client_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no client {client}.',
    next: 'Check the id; GET /v1/clients lists them.',
  },
  client_name_taken: {
    kind: 'conflict',
    status: 409,
    message: 'There is already a client named "{name}".',
    next: 'Use that one, or another name.',
  },
  client_in_use: {
    kind: 'conflict',
    status: 409,
    message: 'Client {client} still has uploads or numbers.',
    next: 'Keep it, or rename it.',
  },
  api_key_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no API key {key}.',
    next: 'Check the id; GET /v1/api-keys lists them.',
  },
  membership_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no membership {membership}.',
    next: 'Check the id; GET /v1/memberships lists them.',
  },
  support_unknown: {
    kind: 'input',
    status: 422,
    message: 'No user with role support has this email address.',
    next: 'Check the address with your support contact.',
  },
  auth_off_exposed: {
    kind: 'config',
    status: 500,
    message: 'AUTH_ENABLED=false is only allowed on loopback, but HOST is {host}.',
    next: 'Set HOST=127.0.0.1, or AUTH_ENABLED=true.',
  },
  secret_weak: {
    kind: 'config',
    status: 500,
    message: '{name} has {bytes} bytes; at least 32 are needed.',
    next: 'Set {name} to 32 or more random bytes, or unset it to have one generated.',
  },
});
