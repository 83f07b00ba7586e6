// Who may read /metrics: this machine where the server listens on loopback only; others with METRICS_TOKEN.
import { isLoopback } from '../../platform/loopback.ts';
import { hasBearer } from '../bearer-token.ts';

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
  return hasBearer(authorization, token);
}
