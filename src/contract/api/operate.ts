// What an operator of a tenant looks at: workers, lanes, schedules, and the audit log.
import { z } from 'zod';
import { allow, type Role } from './roles.ts';
import { defineRoutes, json } from './route.ts';
import { Count, Id, list, Page, Several, Time } from './values.ts';

export const Worker = z.object({
  worker_id: z.string(),
  name: z.string().nullable(),
  state: z.enum(['alive', 'draining', 'lost']),
  pipelines: z.array(z.string()),
  slots: Count.nullable(),
  running: Count.describe('Runs of this tenant that it holds now.'),
  version: z.string().nullable(),
  started_at: Time,
  seen_at: Time,
});

export const Lane = z.object({
  lane: z.string(),
  pipeline: z.string(),
  waiting: Count,
  active: Count,
  cap: Count.nullable(),
  paused: z.boolean(),
  oldest_waiting_at: Time.nullable(),
  wait: z.string().nullable().describe('Why the first queued run waits, in words.'),
});

export const Schedule = z.object({
  name: z.string(),
  pipeline: z.string(),
  cron: z.string(),
  timezone: z.string(),
  enabled: z.boolean(),
  last_fired_at: Time.nullable(),
  next_at: Time.nullable(),
  set_aside_at: Time.nullable().describe('It never fires until it is saved again; `trouble` says why.'),
  trouble_code: z.string().nullable().describe('Why its last moment did not fire.'),
  trouble: z.string().nullable(),
});

export const AuditEntry = z.object({
  audit_id: z.string(),
  at: Time,
  action: z.string().describe('auth.login, auth.denied, users.create, runs.cancel …'),
  outcome: z.enum(['done', 'denied', 'failed']),
  actor: z.string().nullable(),
  actor_role: z.string().nullable(),
  target: z.string().nullable(),
  ip: z.string().nullable(),
  correlation_id: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
});

const readers: readonly Role[] = ['admin', 'user', 'service'];

export const operateRoutes = defineRoutes({
  'operate.workers': {
    tag: 'Operate',
    summary: 'Worker processes and what they hold',
    access: allow(readers, 'operate:read'),
    answer: json(z.object({ data: z.array(Worker) })),
  },
  'operate.lanes': {
    tag: 'Operate',
    summary: 'The lanes of this tenant, which are its queues',
    access: allow(readers, 'operate:read'),
    answer: json(z.object({ data: z.array(Lane) })),
  },
  'operate.schedules': {
    tag: 'Operate',
    summary: 'Schedules of this tenant, oldest first',
    access: allow(readers, 'operate:read'),
    query: Page,
    answer: json(list(Schedule)),
    errors: ['cursor_malformed'],
  },
  'operate.audit': {
    tag: 'Operate',
    summary: 'The audit log, newest first',
    access: allow(['admin']),
    query: Page.extend({
      action: Several.optional(),
      actor: Id.optional(),
      since: Time.optional(),
      until: Time.optional(),
    }),
    answer: json(list(AuditEntry)),
    errors: ['cursor_malformed'],
  },
});
