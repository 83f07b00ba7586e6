// The timings and bounds of alerts. Every one is a setting, so that tests run at a small scale.

export interface StaleLimits {
  /** PROCESSING_TIMEOUT_HOURS, for judgments. */
  readonly processingSeconds: number;
  /** The sync specification's two hours. */
  readonly syncSeconds: number;
  /** CRASH_GUARD_RUNNING_STALE_MIN, for documents. */
  readonly documentsRunningSeconds: number;
  /** CRASH_GUARD_QUEUED_TTL_HOURS, for documents. */
  readonly documentsQueuedSeconds: number;
}

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
  readonly stale: StaleLimits;
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
  stale: {
    processingSeconds: 3_600,
    syncSeconds: 7_200,
    documentsRunningSeconds: 900,
    documentsQueuedSeconds: 3_600,
  },
};
