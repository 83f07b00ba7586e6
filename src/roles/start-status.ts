// /health and /metrics of a process without the API. Two such processes on one machine need METRICS_PORT, which the operator sets.
import { startStatusServer } from '../http/status-server.ts';
import type { Installation } from './installation.ts';
import type { RoleProcess, Started } from './role-process.ts';
import { version } from './version.ts';

export async function startStatus(
  { config, log, shutdown }: RoleProcess,
  { engine }: Installation,
  role: string,
): Promise<Pick<Started, 'metricsUrl'>> {
  const { metricsHost: host, metricsPort: port, metricsToken: token } = config;
  if (port === 'off') return {};
  const server = await startStatusServer({ host, port, token, role, version, engine, log });
  shutdown.add('status server', () => server.close());
  log.info({ url: server.url }, 'health and metrics are served');
  return { metricsUrl: `${server.url}/metrics` };
}
