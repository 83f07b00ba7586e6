// Alerts: rules that watch, sinks that are told, and what was found. Addresses and keys of sinks go in and never come out.
import { z } from 'zod';
import {
  type AlertMetric,
  alertComparisons,
  alertEvents,
  alertMetrics,
  alertSeverities,
  alertSinkKinds,
} from './alert-metrics.ts';
import { allow, type Role } from './roles.ts';
import { defineRoutes, empty, json } from './route.ts';
import { Count, Id, list, Page, Time } from './values.ts';

const AlertSeverity = z.enum(alertSeverities);
const AlertSinkKind = z.enum(alertSinkKinds);
const known = Object.keys(alertEvents) as [keyof typeof alertEvents, ...(keyof typeof alertEvents)[]];
const AlertEventName = z.union(
  [z.enum(known), z.templateLiteral(['x.', z.string().regex(/^[a-z][a-z0-9-]*\.[a-z][a-z0-9_]*$/)])],
  { error: `one of ${known.join(', ')}, or x.PIPELINE.WORD of a pipeline of your own` },
);
const AlertMetricName = z.enum(Object.keys(alertMetrics) as [AlertMetric, ...AlertMetric[]]);

/** What a rule is called in paths, messages and on the command line. */
const RuleName = z.string().regex(/^[a-z][a-z0-9_]{0,59}$/, 'small letters, digits and _, up to 60');

const PipelineName = z
  .string()
  .trim()
  .regex(/^[a-z][a-z0-9_-]{0,59}$/, 'the name of a pipeline');

// ── Rules ────────────────────────────────────────────────────────────────────────────────────────────────────────────
const AlertRule = z.object({
  name: RuleName,
  description: z.string(),
  kind: z.enum(['event', 'threshold']),
  event: AlertEventName.nullable().describe('Of an event rule: the fact that opens an alert.'),
  metric: AlertMetricName.nullable().describe('Of a threshold rule: the figure that is compared.'),
  comparison: z.enum(alertComparisons).nullable(),
  threshold: z.number().nullable(),
  pipeline: z.string().nullable().describe('null: each pipeline by itself.'),
  window_minutes: Count.nullable().describe(
    'Of a threshold rule: the span the figure is reckoned over. Of an event rule: an alert nothing else ends is resolved after it.',
  ),
  severity: AlertSeverity,
  enabled: z.boolean(),
  origin: z
    .enum(['default', 'changed', 'own'])
    .describe('default: of the installation; changed: a default this tenant changed; own: made by this tenant.'),
  open_alerts: Count,
  updated_at: Time,
});

const ruleFields = {
  description: z.string().trim().max(300),
  pipeline: PipelineName.nullable(),
  severity: AlertSeverity,
  enabled: z.boolean(),
};
const windowMinutes = z.int().min(1).max(43_200).nullable();

const AlertRuleCreate = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('threshold'),
    name: RuleName,
    metric: AlertMetricName,
    comparison: z.enum(alertComparisons).default('>'),
    threshold: z.number().min(-1e12).max(1e12),
    window_minutes: windowMinutes.default(null).describe('null: 60 where the metric has a window.'),
    description: ruleFields.description.default(''),
    pipeline: ruleFields.pipeline.default(null),
    severity: ruleFields.severity.default('WARNING'),
    enabled: ruleFields.enabled.default(true),
  }),
  z.strictObject({
    kind: z.literal('event'),
    name: RuleName,
    event: AlertEventName,
    window_minutes: windowMinutes.default(1_440),
    description: ruleFields.description.default(''),
    pipeline: ruleFields.pipeline.default(null),
    severity: ruleFields.severity.default('WARNING'),
    enabled: ruleFields.enabled.default(true),
  }),
]);

/** Comparison and threshold belong to threshold rules. What a rule watches cannot be changed: make another rule. */
const AlertRuleUpdate = z
  .strictObject({
    ...ruleFields,
    comparison: z.enum(alertComparisons),
    threshold: z.number().min(-1e12).max(1e12),
    window_minutes: windowMinutes,
  })
  .partial();

// ── Sinks ────────────────────────────────────────────────────────────────────────────────────────────────────────────
const AlertSink = z.object({
  sink_id: Id,
  name: z.string(),
  kind: AlertSinkKind,
  host: z.string().describe('Where it sends to; the rest of the address is a secret and never shown.'),
  min_severity: AlertSeverity,
  send_resolved: z.boolean(),
  enabled: z.boolean(),
  last_ok_at: Time.nullable(),
  last_error_at: Time.nullable(),
  last_error_code: z.string().nullable(),
  consecutive_failures: Count,
  paused_until: Time.nullable().describe('Set while the receiver asked to slow down.'),
  waiting: Count.describe('Messages not yet sent.'),
  created_at: Time,
  updated_at: Time,
});

const Address = z.string().trim().min(1).max(2_000);
const RoutingKey = z.string().trim().min(1).max(200);
const sinkFields = {
  name: z.string().trim().min(1).max(100),
  min_severity: AlertSeverity.describe('What is milder is not sent here.'),
  send_resolved: z.boolean().describe('Say also when an alert is over. PagerDuty is always told.'),
  enabled: z.boolean(),
};
const sinkDefaults = {
  name: sinkFields.name,
  min_severity: sinkFields.min_severity.default('WARNING'),
  send_resolved: sinkFields.send_resolved.default(true),
  enabled: sinkFields.enabled.default(true),
};

const AlertSinkCreate = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('discord'), url: Address, ...sinkDefaults }),
  z.strictObject({ kind: z.literal('slack'), url: Address, ...sinkDefaults }),
  z.strictObject({ kind: z.literal('webhook'), url: Address, ...sinkDefaults }),
  z.strictObject({
    kind: z.literal('pagerduty'),
    routing_key: RoutingKey.describe('The integration key of an Events API v2 integration.'),
    url: Address.optional().describe(
      'Only for another service region; default: https://events.pagerduty.com/v2/enqueue',
    ),
    ...sinkDefaults,
  }),
]);

const AlertSinkUpdate = z
  .strictObject({ ...sinkFields, url: Address, routing_key: RoutingKey })
  .partial()
  .describe('Fields that are left out stay as they are.');

const AlertSinkTest = z.object({
  ok: z.boolean(),
  status: z.int().nullable().describe('The receiver’s HTTP status; null when it was not reached.'),
  ms: Count,
  error_code: z.string().nullable(),
  message: z.string().describe('What happened and, where it failed, what to do.'),
});

const AlertSend = z.object({
  send_id: z.string(),
  sink_id: Id.nullable().describe('null: a sink of the operator.'),
  sink_name: z.string().nullable(),
  alert_id: Id.nullable().describe('null: a test.'),
  what: z.enum(['open', 'reminder', 'acknowledge', 'resolve', 'test', 'digest', 'digest_end']),
  status: z.enum(['waiting', 'sent', 'failed', 'dropped', 'folded']),
  attempts: Count,
  http_status: z.int().nullable(),
  error_code: z.string().nullable(),
  next_at: Time.nullable(),
  sent_at: Time.nullable(),
  created_at: Time,
});

// ── Alerts ───────────────────────────────────────────────────────────────────────────────────────────────────────────
const Alert = z.object({
  alert_id: Id,
  rule: z.string(),
  severity: AlertSeverity,
  message: z.string(),
  status: z.enum(['open', 'resolved']),
  subject: z
    .string()
    .describe('What it is about: a run, a pipeline, a connector. One open alert per rule and subject.'),
  pipeline: z.string().nullable(),
  run_id: Id.nullable(),
  link: z.string().describe('The page to open.'),
  value: z.number().nullable().describe('The figure as last seen.'),
  threshold: z.number().nullable(),
  occurrences: Count,
  opened_at: Time,
  last_seen_at: Time,
  resolved_at: Time.nullable(),
  resolution: z
    .enum(['below_threshold', 'run_ended', 'retried', 'expired', 'rule_off', 'switched_on'])
    .nullable()
    .describe('Why it is over.'),
  acknowledged_at: Time.nullable(),
  acknowledged_by: z.string().nullable(),
});

const AlertDetail = Alert.extend({ sends: z.array(AlertSend) });

const readers: readonly Role[] = ['admin', 'user', 'service'];
const byRule = z.object({ rule: RuleName });
const bySink = z.object({ sink_id: Id });
const byAlert = z.object({ alert_id: Id });

export const alertRoutes = defineRoutes({
  'alerts.list': {
    tag: 'Alerts',
    summary: 'List alerts, newest first',
    access: allow(readers, 'operate:read'),
    query: Page.extend({
      status: z.enum(['open', 'resolved']).optional(),
      rule: RuleName.optional(),
      run_id: Id.optional(),
    }),
    answer: json(list(Alert)),
    errors: ['cursor_malformed'],
  },
  'alerts.show': {
    tag: 'Alerts',
    summary: 'Show an alert and whom it was sent to',
    access: allow(readers, 'operate:read'),
    params: byAlert,
    answer: json(AlertDetail),
    errors: ['alert_not_found'],
  },
  'alerts.acknowledge': {
    tag: 'Alerts',
    summary: 'Say that somebody looks after it: no more reminders',
    notes: 'It stays open until it is over. PagerDuty is told. A second call changes nothing.',
    access: allow(['admin', 'user', 'service'], 'operate:write'),
    params: byAlert,
    answer: json(Alert),
    errors: ['alert_not_found'],
  },
  'alert-rules.list': {
    tag: 'Alerts',
    summary: 'List the rules that hold for this tenant',
    access: allow(readers, 'operate:read'),
    query: Page,
    answer: json(list(AlertRule)),
    errors: ['cursor_malformed'],
  },
  'alert-rules.create': {
    tag: 'Alerts',
    summary: 'Add a rule: a threshold on any metric, or an event',
    access: allow(['admin']),
    body: AlertRuleCreate,
    answer: json(AlertRule, 201),
    errors: ['alert_rule_name_taken'],
  },
  'alert-rules.update': {
    tag: 'Alerts',
    summary: 'Change a rule; a default is changed for this tenant only',
    access: allow(['admin']),
    params: byRule,
    body: AlertRuleUpdate,
    answer: json(AlertRule),
    errors: ['alert_rule_not_found', 'alert_rule_field_unfit'],
  },
  'alert-rules.remove': {
    tag: 'Alerts',
    summary: 'Remove a rule of this tenant; a changed default is as it was again',
    access: allow(['admin']),
    params: byRule,
    answer: empty,
    errors: ['alert_rule_not_found', 'alert_rule_default'],
  },
  'alert-sinks.list': {
    tag: 'Alerts',
    summary: 'List the sinks of this tenant',
    access: allow(readers, 'operate:read'),
    query: Page,
    answer: json(list(AlertSink)),
    errors: ['cursor_malformed'],
  },
  'alert-sinks.create': {
    tag: 'Alerts',
    summary: 'Add a sink: Discord, Slack, PagerDuty or a plain webhook',
    access: allow(['admin']),
    body: AlertSinkCreate,
    answer: json(AlertSink, 201),
    errors: ['alert_sink_name_taken', 'outbound_url_invalid', 'outbound_address_refused'],
  },
  'alert-sinks.show': {
    tag: 'Alerts',
    summary: 'Show a sink',
    access: allow(readers, 'operate:read'),
    params: bySink,
    answer: json(AlertSink),
    errors: ['alert_sink_not_found'],
  },
  'alert-sinks.update': {
    tag: 'Alerts',
    summary: 'Change a sink, or give it another address or key',
    access: allow(['admin']),
    params: bySink,
    body: AlertSinkUpdate,
    answer: json(AlertSink),
    errors: [
      'alert_sink_not_found',
      'alert_sink_name_taken',
      'alert_sink_field_unfit',
      'alert_sink_unreadable',
      'outbound_url_invalid',
      'outbound_address_refused',
    ],
  },
  'alert-sinks.remove': {
    tag: 'Alerts',
    summary: 'Remove a sink and what it had still to send',
    access: allow(['admin']),
    params: bySink,
    answer: empty,
    errors: ['alert_sink_not_found'],
  },
  'alert-sinks.test': {
    tag: 'Alerts',
    summary: 'Send a test message now and say how it went',
    access: allow(['admin']),
    params: bySink,
    answer: json(AlertSinkTest),
    errors: ['alert_sink_not_found', 'alert_sink_unreadable'],
  },
  'alert-sinks.sends': {
    tag: 'Alerts',
    summary: 'List what was sent to a sink, newest first',
    access: allow(readers, 'operate:read'),
    params: bySink,
    query: Page,
    answer: json(list(AlertSend)),
    errors: ['alert_sink_not_found', 'cursor_malformed'],
  },
});
