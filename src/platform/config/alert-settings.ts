// Settings of alerts: where Millrace sends the operator's, how often it checks the figures, and when it repeats an open alert.
import { z } from 'zod';
import { integer, isUrl, optionalText, optionalUrl, settingInfo } from './setting.ts';

const pagerdutyDefault = 'https://events.pagerduty.com/v2/enqueue';
const pagerdutyTakes = 'an address that begins with http:// or https://';
const pagerdutyEventsUrl = z
  .string()
  .refine((value) => isUrl(value, ['http', 'https']), pagerdutyTakes)
  .default(pagerdutyDefault);
settingInfo.add(pagerdutyEventsUrl, {
  env: 'PAGERDUTY_EVENTS_URL',
  doc: 'Address of the PagerDuty Events API v2; another one in the EU service region.',
  default: pagerdutyDefault,
  takes: pagerdutyTakes,
});

export const alertSettings = {
  discordWebhookUrl: optionalUrl('DISCORD_WEBHOOK_URL', ['http', 'https'], {
    secret: true,
    doc: 'A Discord webhook that gets the alerts of every tenant.',
  }),
  slackWebhookUrl: optionalUrl('SLACK_WEBHOOK_URL', ['http', 'https'], {
    secret: true,
    doc: 'A Slack incoming webhook that gets the alerts of every tenant.',
  }),
  pagerdutyRoutingKey: optionalText('PAGERDUTY_ROUTING_KEY', {
    secret: true,
    doc: 'The integration key of a PagerDuty Events API v2 integration that gets the alerts of every tenant.',
  }),
  pagerdutyEventsUrl,
  alertWebhookUrl: optionalUrl('ALERT_WEBHOOK_URL', ['http', 'https'], {
    secret: true,
    doc: 'An address that gets the alerts of every tenant as JSON.',
  }),
  alertEverySeconds: integer('ALERT_EVERY_SECONDS', {
    min: 1,
    max: 3_600,
    default: 15,
    unit: 'seconds',
    doc: 'How often Millrace evaluates the figures of alert rules, over all processes together.',
  }),
  alertSettleSeconds: integer('ALERT_SETTLE_SECONDS', {
    min: 0,
    max: 86_400,
    default: 60,
    unit: 'seconds',
    doc: 'How long a figure must be good again before Millrace resolves its alert.',
  }),
  alertReminderHours: integer('ALERT_REMINDER_HOURS', {
    min: 0,
    max: 720,
    default: 24,
    unit: 'hours',
    doc: 'An open alert that nobody has acknowledged is sent again after this long; 0 never repeats one.',
  }),
  alertDigestAfter: integer('ALERT_DIGEST_AFTER', {
    min: 0,
    max: 1_000,
    default: 10,
    unit: 'messages',
    doc: 'This many messages of one rule go to a sink within ALERT_DIGEST_SECONDS; one digest has the rest. 0 sends every message.',
  }),
  alertDigestSeconds: integer('ALERT_DIGEST_SECONDS', {
    min: 5,
    max: 3_600,
    default: 60,
    unit: 'seconds',
    doc: 'How long a digest of alerts gathers before it is sent, and how long it must be quiet until messages go out one by one again.',
  }),
  alertTimeoutSeconds: integer('ALERT_TIMEOUT_SECONDS', {
    min: 1,
    max: 60,
    default: 10,
    unit: 'seconds',
    doc: 'How long one message to an alert sink may take.',
  }),
  alertRetentionDays: integer('ALERT_RETENTION_DAYS', {
    min: 1,
    max: 3_650,
    default: 90,
    unit: 'days',
    doc: 'Resolved alerts, and what was sent of them, are removed after this long.',
  }),
};
