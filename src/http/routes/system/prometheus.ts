// GET /metrics: the figures of this process for Prometheus. Open to this machine; to others only with METRICS_TOKEN.
import { timingSafeEqual } from 'node:crypto';
import { collectDefaultMetrics, register } from 'prom-client';
import { isLoopback } from '../../../access/open-door.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { handle } from '../../call.ts';

let isCollecting = false;

export const prometheus = handle('system.prometheus', async ({ app, origin, request, reply }) => {
  const { metricsToken } = app.settings;
  const isOpen = metricsToken === undefined && isLoopback(origin.ip ?? '') && isLoopback(app.settings.host);
  const given = request.headers.authorization?.replace(/^Bearer +/i, '') ?? '';
  if (!isOpen && !isSame(given, metricsToken)) throw new MillraceError('unauthenticated');
  if (!isCollecting) collectDefaultMetrics({ prefix: 'millrace_' });
  isCollecting = true;
  return reply.type(register.contentType).send(await register.metrics());
});

function isSame(given: string, expected: string | undefined): boolean {
  if (expected === undefined) return false;
  const [one, two] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === two.length && timingSafeEqual(one, two);
}
