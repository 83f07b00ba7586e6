// How webhooks are delivered. Every timing is a setting, so that tests run at a small scale.
import { retryTableMs } from './retry-table.ts';

export interface WebhookSettings {
  /** ALLOW_PRIVATE_WEBHOOKS. */
  readonly allowPrivate: boolean;
  /** One try, from the name look-up to the end of the answer. */
  readonly timeoutMs: number;
  /** Deliveries under way in one process. */
  readonly concurrency: number;
  /** Deliveries under way to one endpoint, over all processes; 1 while it fails. */
  readonly endpointConcurrency: number;
  /** An endpoint that has not succeeded for this long is switched off. */
  readonly disableAfterMs: number;
  /** … unless it was hardly tried: a quiet endpoint with one failure a week ago is not failing. */
  readonly disableAfterFailures: number;
  readonly retryTableMs: readonly number[];
  readonly pollMs: number;
  /** How long a stopping process waits for the answers under way. */
  readonly drainMs: number;
  /** Deliveries that have ended are forgotten after this. */
  readonly retentionDays: number;
  /** Beyond the time-out: time to write the result down. A process silent for longer has lost its deliveries. */
  readonly leaseMarginMs: number;
}

export const defaultWebhookSettings: WebhookSettings = {
  allowPrivate: false,
  timeoutMs: 10_000,
  concurrency: 50,
  endpointConcurrency: 5,
  disableAfterMs: 120 * 3_600_000,
  disableAfterFailures: 10,
  retryTableMs,
  pollMs: 500,
  drainMs: 5_000,
  retentionDays: 30,
  leaseMarginMs: 20_000,
};

/** As many endpoints as one tenant may have. */
export const maxEndpoints = 50;
