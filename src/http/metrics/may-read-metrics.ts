// Who may read /metrics: this machine where the server listens on loopback only; others with METRICS_TOKEN.
import { timingSafeEqual } from 'node:crypto';
import { isLoopback } from '../../platform/loopback.ts';

export interface MetricsAccess {
  /** What the server listens on. */
  readonly host: string;
  readonly token: string | undefined;
}

export function mayReadMetrics(
  { host, token }: MetricsAccess,
  ip: string | null | undefined,
  authorization: string | undefined,
): boolean {
  if (token === undefined) return isLoopback(ip ?? '') && isLoopback(host);
  return isSame(authorization?.replace(/^Bearer +/i, '') ?? '', token);
}

function isSame(given: string, expected: string): boolean {
  const [one, two] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === two.length && timingSafeEqual(one, two);
}
