// A worker process of the sync suites: syncs-worker.js '{"url", "settings", "airbyte", …}'. Says "ready" when it works. With
// `dispatch` it only dispatches one connector, once it reads a line, and says what it was answered.

import type { EngineSettings } from '../../src/engine/settings.ts';
import { JobDispatcher } from '../../src/pipelines/syncs/dispatcher.ts';
import type { FakeAirbyte } from '../support/fake-airbyte/server.ts';
import { buildSyncs } from '../support/syncs.ts';

export interface SyncWorkerOrders {
  readonly url: string;
  readonly settings: Partial<EngineSettings>;
  readonly airbyte: { readonly url: string; readonly token: string; readonly workspaceId: string };
  readonly dispatch?: { readonly tenantId: string; readonly connectorId: string };
}

async function main(orders: SyncWorkerOrders): Promise<void> {
  const { settings, dispatch } = orders;
  const service = await buildSyncs(orders.url, orders.airbyte as FakeAirbyte, { settings, timeoutMs: 2_000 });
  if (dispatch === undefined) {
    await service.engine.start();
    process.once('SIGTERM', () => void service.close().then(() => process.exit(0)));
    console.log('ready');
    return;
  }
  console.log('ready');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  const { connectorId } = dispatch;
  const { job, created } = await new JobDispatcher(service, dispatch.tenantId).dispatch({ connectorId });
  console.log(JSON.stringify({ created, job: job.job_id, status: job.status }));
  await service.close();
  process.exit(0);
}

await main(JSON.parse(process.argv[2] ?? '{}') as SyncWorkerOrders);
