// Signing in and out. A token is a JWT (HS256) with sub, tenant_id, role and exp; browsers may ask for an HttpOnly cookie instead.
import { z } from 'zod';
import { allow, anyone, roles, signedIn } from './roles.ts';
import { defineRoutes, empty, json } from './route.ts';
import { Id, Time } from './values.ts';

/** bcrypt reads 72 bytes; a longer password would be cut in silence, so it is refused. */
const Password = z.string().min(12, 'needs at least 12 characters').max(72, 'may have at most 72 characters');

const Login = z.strictObject({
  email: z.string().min(3).max(320),
  password: z.string().min(1).max(200),
  cookie: z.boolean().default(false).describe('true: answer with an HttpOnly session cookie and no token.'),
});

export const Me = z.object({
  user_id: Id.nullable().describe('null for an API key.'),
  email: z.string().nullable(),
  name: z.string().nullable(),
  role: z.enum(roles),
  scopes: z.array(z.string()).nullable().describe('null: everything the role may do.'),
  must_change_password: z.boolean(),
  tenant: z.object({ tenant_id: Id, name: z.string(), plan: z.enum(['free', 'growth', 'enterprise']) }),
  expires_at: Time.nullable(),
});

export const Session = z.object({
  token: z.string().optional(),
  token_type: z.literal('Bearer').optional(),
  expires_at: Time,
  me: Me,
});

const PasswordChange = z.strictObject({ current: z.string().min(1).max(200), new: Password });

export const authRoutes = defineRoutes({
  'auth.login': {
    tag: 'Auth',
    summary: 'Sign in with email and password',
    notes: 'Attempts are limited per address and per account. Unknown accounts and wrong passwords answer alike.',
    access: anyone,
    body: Login,
    answer: json(Session),
    errors: ['login_refused', 'one_time_password_used', 'login_limited'],
  },
  'auth.me': { tag: 'Auth', summary: 'Who I am', access: signedIn, answer: json(Me) },
  'auth.logout': {
    tag: 'Auth',
    summary: 'Sign out everywhere',
    notes: 'Ends every session of this user within 60 s and clears the cookie.',
    access: allow(roles),
    answer: empty,
  },
  'auth.password': {
    tag: 'Auth',
    summary: 'Change my password',
    notes: 'Ends every other session of this user and answers with a new one.',
    access: allow(roles),
    body: PasswordChange,
    answer: json(Session),
    errors: ['login_refused', 'login_limited', 'people_only'],
  },
});
