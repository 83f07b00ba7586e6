// The people of a tenant, managed by its admins.
import { z } from 'zod';
import { allow, roles } from './roles.ts';
import { defineRoutes, empty, json } from './route.ts';
import { Id, list, Page, Time } from './values.ts';

export const User = z.object({
  user_id: Id,
  email: z.string(),
  name: z.string().nullable(),
  role: z.enum(roles),
  disabled_at: Time.nullable(),
  must_change_password: z.boolean(),
  last_login_at: Time.nullable(),
  created_at: Time,
});

const UserWithPassword = User.extend({
  one_time_password: z.string().describe('Shown once, works once; it must be changed at the first sign-in.'),
});

const UserCreate = z.strictObject({
  email: z.email().max(320),
  name: z.string().trim().min(1).max(200).optional(),
  role: z.enum(roles).default('user'),
});

const UserUpdate = z.strictObject({
  name: z.string().trim().min(1).max(200).optional(),
  role: z.enum(roles).optional(),
  disabled: z.boolean().optional(),
});

const byId = z.object({ user_id: Id });

export const userRoutes = defineRoutes({
  'users.list': {
    tag: 'Users',
    summary: 'List users',
    access: allow(['admin']),
    query: Page,
    answer: json(list(User)),
  },
  'users.create': {
    tag: 'Users',
    summary: 'Add a user',
    access: allow(['admin']),
    body: UserCreate,
    answer: json(UserWithPassword, 201),
    errors: ['email_taken'],
  },
  'users.show': {
    tag: 'Users',
    summary: 'Show a user',
    access: allow(['admin']),
    params: byId,
    answer: json(User),
    errors: ['user_not_found'],
  },
  'users.update': {
    tag: 'Users',
    summary: 'Change the name or role of a user, disable or enable a user',
    notes: 'A user who is disabled or gets a lower role loses access within 60 s. The last admin stays an admin.',
    access: allow(['admin']),
    params: byId,
    body: UserUpdate,
    answer: json(User),
    errors: ['user_not_found', 'last_admin'],
  },
  'users.remove': {
    tag: 'Users',
    summary: 'Remove a user',
    access: allow(['admin']),
    params: byId,
    answer: empty,
    errors: ['user_not_found', 'last_admin'],
  },
  'users.reset': {
    tag: 'Users',
    summary: 'Give a user a new one-time password',
    access: allow(['admin']),
    params: byId,
    answer: json(UserWithPassword),
    errors: ['user_not_found'],
  },
});
