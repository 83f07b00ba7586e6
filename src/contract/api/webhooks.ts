// Webhooks: endpoints that are told about events, signed as the Standard Webhooks specification says, and the log of what was
// delivered. A secret is shown once, when it is made; the address of an endpoint is shown in full to admins only.
import { z } from 'zod';
import { allow, type Role } from './roles.ts';
import { defineRoutes, empty, json } from './route.ts';
import { Count, Id, list, Page, Several, Time } from './values.ts';
import { defaultWebhookEvents, deliveryStatuses, webhookDisabledReasons } from './webhook-events.ts';

const DeliveryStatus = z.enum(deliveryStatuses);

const EventPattern = z
  .string()
  .trim()
  .max(100)
  .regex(
    /^(?:\*|[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*(?:\.\*)?)$/,
    'an event type such as run.done, a group such as run.*, or *',
  );

const Webhook = z.object({
  endpoint_id: Id,
  url: z.string().describe('In full for admins; others see the host.'),
  description: z.string(),
  event_types: z.array(z.string()).describe('Exact types, groups such as run.*, or *.'),
  enabled: z.boolean(),
  disabled_at: Time.nullable(),
  disabled_reason: z
    .enum(webhookDisabledReasons)
    .nullable()
    .describe('person: somebody switched it off; gone: it answered 410; failing: it failed for too long.'),
  failure_streak: Count.describe('Tries that failed since the last success.'),
  failing_since: Time.nullable(),
  paused_until: Time.nullable().describe('Set while the receiver asked to slow down.'),
  last_success_at: Time.nullable(),
  last_failure_at: Time.nullable(),
  last_error_code: z.string().nullable(),
  former_secret_until: Time.nullable().describe('After a rotation: until then the former secret signs too.'),
  waiting: Count.describe('Deliveries not yet made.'),
  failed: Count.describe('Deliveries that failed for good and can be recovered; counted up to 1,000.'),
  created_by: Id.nullable(),
  created_at: Time,
  updated_at: Time,
});

const Secret = z.string().describe('whsec_…; shown this once and never again.');

const WebhookWithSecret = Webhook.extend({ secret: Secret });

const fields = {
  url: z
    .string()
    .trim()
    .min(1)
    .max(2_048)
    .describe('http or https, without user name and password, at a public address.'),
  description: z.string().trim().max(300),
  event_types: z.array(EventPattern).min(1).max(50),
};

const WebhookCreate = z.strictObject({
  url: fields.url,
  description: fields.description.default(''),
  event_types: fields.event_types.default([...defaultWebhookEvents]),
});

const WebhookUpdate = z.strictObject(fields).partial().describe('Fields that are left out stay as they are.');

const Delivery = z.object({
  delivery_id: Id,
  endpoint_id: Id,
  webhook_id: z
    .string()
    .describe('The header webhook-id: the same for every try, and for every endpoint that gets the event.'),
  event_type: z.string(),
  run_id: Id.nullable(),
  status: DeliveryStatus,
  attempts: Count,
  http_status: z.int().nullable().describe('Of the last try; null when there was no answer.'),
  error_code: z.string().nullable(),
  next_at: Time.nullable().describe('When it is tried next.'),
  last_attempt_at: Time.nullable(),
  delivered_at: Time.nullable(),
  created_at: Time,
});

const DeliveryTry = z.object({
  attempt: Count,
  started_at: Time,
  ms: Count.nullable(),
  http_status: z.int().nullable(),
  error_code: z.string().nullable(),
  response_excerpt: z.string().nullable().describe('The beginning of the answer, without what looks like a secret.'),
});

const DeliveryDetail = Delivery.extend({
  payload: z.string().describe('The body, exactly as it is sent and signed.'),
  tries: z.array(DeliveryTry).describe('Newest first, at most 100.'),
});

const WebhookTest = z.object({
  delivery_id: Id,
  ok: z.boolean(),
  status: z.int().nullable().describe('The receiver’s HTTP status; null when it was not reached.'),
  ms: Count,
  error_code: z.string().nullable(),
  message: z.string().describe('What happened and, where it failed, what to do.'),
});

const readers: readonly Role[] = ['admin', 'user', 'service'];
const byEndpoint = z.object({ endpoint_id: Id });
const byDelivery = z.object({ endpoint_id: Id, delivery_id: Id });

export const webhookRoutes = defineRoutes({
  'webhooks.list': {
    tag: 'Webhooks',
    summary: 'List the endpoints of this tenant',
    access: allow(readers, 'operate:read'),
    query: Page,
    answer: json(list(Webhook)),
    errors: ['cursor_malformed'],
  },
  'webhooks.create': {
    tag: 'Webhooks',
    summary: 'Add an endpoint; the answer shows its secret, once',
    notes: 'It gets the events that happen from now on. docs/webhooks.md shows how to verify a signature.',
    access: allow(['admin']),
    body: WebhookCreate,
    answer: json(WebhookWithSecret, 201),
    errors: ['outbound_url_invalid', 'outbound_address_refused', 'webhook_limit'],
  },
  'webhooks.show': {
    tag: 'Webhooks',
    summary: 'Show an endpoint',
    access: allow(readers, 'operate:read'),
    params: byEndpoint,
    answer: json(Webhook),
    errors: ['webhook_not_found'],
  },
  'webhooks.update': {
    tag: 'Webhooks',
    summary: 'Change an endpoint’s address, description or event types',
    notes: 'What waits goes to the new address.',
    access: allow(['admin']),
    params: byEndpoint,
    body: WebhookUpdate,
    answer: json(Webhook),
    errors: ['webhook_not_found', 'outbound_url_invalid', 'outbound_address_refused'],
  },
  'webhooks.remove': {
    tag: 'Webhooks',
    summary: 'Remove an endpoint, what it had still to get, and its log',
    access: allow(['admin']),
    params: byEndpoint,
    answer: empty,
    errors: ['webhook_not_found'],
  },
  'webhooks.rotate': {
    tag: 'Webhooks',
    summary: 'Make a new secret; the former one signs too for a while',
    notes: 'For 24 hours, unless "grace_hours" says otherwise. 0 ends the former secret at once.',
    access: allow(['admin']),
    params: byEndpoint,
    body: z.strictObject({ grace_hours: z.int().min(0).max(168).default(24) }),
    answer: json(WebhookWithSecret),
    errors: ['webhook_not_found'],
  },
  'webhooks.test': {
    tag: 'Webhooks',
    summary: 'Send a test event (webhook.test) now and say how it went',
    notes: 'One try, also to an endpoint that is switched off. It is in the delivery log.',
    access: allow(['admin']),
    params: byEndpoint,
    answer: json(WebhookTest),
    errors: ['webhook_not_found', 'webhook_secret_unreadable'],
  },
  'webhooks.enable': {
    tag: 'Webhooks',
    summary: 'Switch an endpoint on again; its failures are forgotten',
    notes: 'What it missed stays in the log as failed: recover it.',
    access: allow(['admin']),
    params: byEndpoint,
    answer: json(Webhook),
    errors: ['webhook_not_found'],
  },
  'webhooks.disable': {
    tag: 'Webhooks',
    summary: 'Switch an endpoint off',
    notes: 'Events go on being logged for it, as failed, so that they can be recovered later.',
    access: allow(['admin']),
    params: byEndpoint,
    answer: json(Webhook),
    errors: ['webhook_not_found'],
  },
  'webhooks.recover': {
    tag: 'Webhooks',
    summary: 'Queue again every failed delivery of events since a time',
    notes: 'With "preview": true it only counts. Events older than 30 days are forgotten.',
    access: allow(['admin']),
    params: byEndpoint,
    body: z.strictObject({ since: Time, preview: z.boolean().default(false) }),
    answer: json(z.object({ count: Count, preview: z.boolean() })),
    errors: ['webhook_not_found', 'webhook_disabled'],
  },
  'deliveries.list': {
    tag: 'Webhooks',
    summary: 'List the deliveries to an endpoint, newest first',
    access: allow(readers, 'operate:read'),
    params: byEndpoint,
    query: Page.extend({
      status: Several.optional().describe('waiting, sending, delivered, failed; several separated by commas.'),
      event_type: z.string().max(100).optional(),
      run_id: Id.optional(),
      since: Time.optional(),
      until: Time.optional(),
    }),
    answer: json(list(Delivery)),
    errors: ['webhook_not_found', 'cursor_malformed'],
  },
  'deliveries.show': {
    tag: 'Webhooks',
    summary: 'Show a delivery: its payload and every try',
    access: allow(readers, 'operate:read'),
    params: byDelivery,
    answer: json(DeliveryDetail),
    errors: ['delivery_not_found'],
  },
  'deliveries.resend': {
    tag: 'Webhooks',
    summary: 'Send a delivery again, now, with the same webhook-id',
    notes: 'Also one that was delivered. One that is waiting is moved forward.',
    access: allow(['admin']),
    params: byDelivery,
    answer: json(Delivery),
    errors: ['delivery_not_found', 'webhook_disabled'],
  },
});
