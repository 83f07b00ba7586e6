// /health and /metrics of a process without the API. Where two could be meant, the port is the operator's to set (METRICS_PORT).
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
