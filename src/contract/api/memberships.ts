// Memberships: the only way a support person of another tenant reaches this one, granted by an admin, ending by itself, audited.
import { z } from 'zod';
import { allow } from './roles.ts';
import { defineRoutes, empty, json } from './route.ts';
import { Id, list, Page, Time } from './values.ts';

export const Membership = z.object({
  membership_id: Id,
  user_id: Id,
  email: z.string(),
  reason: z.string(),
  granted_by: Id.nullable(),
  created_at: Time,
  expires_at: Time,
  revoked_at: Time.nullable(),
});

const MembershipCreate = z.strictObject({
  email: z.email().max(320).describe('A user with role support, of any tenant.'),
  reason: z.string().trim().min(3).max(500),
  hours: z.int().min(1).max(720).default(24),
});

export const membershipRoutes = defineRoutes({
  'memberships.list': {
    tag: 'Memberships',
    summary: 'Which support people may reach this tenant',
    access: allow(['admin']),
    query: Page,
    answer: json(list(Membership)),
  },
  'memberships.create': {
    tag: 'Memberships',
    summary: 'Let a support person reach this tenant for a while',
    notes: 'They send the header Millrace-Tenant with this tenant’s id. Every use is audited.',
    access: allow(['admin']),
    body: MembershipCreate,
    answer: json(Membership, 201),
    errors: ['support_unknown'],
  },
  'memberships.revoke': {
    tag: 'Memberships',
    summary: 'End a membership',
    access: allow(['admin']),
    params: z.object({ membership_id: Id }),
    answer: empty,
    errors: ['membership_not_found'],
  },
});
