// The timings and bounds of alerts. Every one is a setting, so that tests run at a small scale.

import type { AlertedPipelines } from './pipeline-alerts.ts';

export interface AlertSettings {
  /** Links in messages begin with it; no slash at the end. */
  readonly publicUrl: string;
  /** ALLOW_PRIVATE_WEBHOOKS */
  readonly allowPrivate: boolean;
  /** How long one message may take. */
  readonly timeoutMs: number;
  /** How often the figures are looked at, over all processes together. */
  readonly evaluateMs: number;
  /** How often a process looks for messages to send. */
  readonly sendPollMs: number;
  /** A figure must be on the good side for this long before its alert is resolved. */
  readonly settleMs: number;
  /** An open alert that nobody acknowledged is said again after this long; 0: never. */
  readonly remindMs: number;
  /** So many messages of one rule go to a sink within `digestMs`; the rest becomes one digest. 0: never. */
  readonly digestAfter: number;
  readonly digestMs: number;
  /** The first pause after a failed send; doubled up to `backoffCapMs`. */
  readonly backoffMs: number;
  readonly backoffCapMs: number;
  /** A message that could not be sent for this long is given up. */
  readonly giveUpMs: number;
  readonly retentionDays: number;
  /** What the pipelines bring. */
  readonly pipelines: AlertedPipelines;
}

const HOUR_MS = 3_600_000;

export const defaultAlertSettings: AlertSettings = {
  publicUrl: 'http://127.0.0.1:8080',
  allowPrivate: false,
  timeoutMs: 10_000,
  evaluateMs: 15_000,
  sendPollMs: 1_000,
  settleMs: 60_000,
  remindMs: 24 * HOUR_MS,
  digestAfter: 10,
  digestMs: 60_000,
  backoffMs: 5_000,
  backoffCapMs: 600_000,
  giveUpMs: 24 * HOUR_MS,
  retentionDays: 90,
  pipelines: {},
};
