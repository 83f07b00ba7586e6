// Syncs on a test database against a fake Airbyte: an engine with the pipeline, its service, and connectors made without ceremony.
import { createTenant } from '../../src/access/operator.ts';
import { createAirbyteClients } from '../../src/pipelines/syncs/airbyte-clients.ts';
import { syncsAudit } from '../../src/pipelines/syncs/audit-consumer.ts';
import { addConnector, type ConnectorWish } from '../../src/pipelines/syncs/connectors.ts';
import { jobEvents } from '../../src/pipelines/syncs/job-events.ts';
import type { ConnectorRow } from '../../src/pipelines/syncs/sql/connectors.ts';
import type { SyncService } from '../../src/pipelines/syncs/sync-service.ts';
import { syncsPipeline } from '../../src/pipelines/syncs/syncs.pipeline.ts';
import type { PollPace, SyncLimits, SyncsDeps } from '../../src/pipelines/syncs/syncs-deps.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import type { TestDatabase } from './database.ts';
import { buildEngine, type EngineOptionsForTest } from './engine.ts';
import type { FakeAirbyte } from './fake-airbyte/server.ts';

const quickPoll: PollPace = { firstMs: 10, maxMs: 40, factor: 1.5, patienceMs: 2_000 };
const looseLimits: SyncLimits = { minIntervalSeconds: 1, accountTriggersPerHour: 100_000, failureLimit: 4 };

export interface SyncsForTest extends EngineOptionsForTest {
  readonly limits?: Partial<SyncLimits>;
  readonly poll?: Partial<PollPace>;
  readonly timeoutMs?: number;
}

export function syncsDeps(
  airbyte: { readonly url: string; readonly token: string; readonly workspaceId: string },
  options: SyncsForTest = {},
): SyncsDeps {
  const settings = {
    baseUrl: airbyte.url,
    timeoutMs: options.timeoutMs ?? 500,
    credential: { kind: 'token', token: airbyte.token } as const,
    workspaceId: airbyte.workspaceId,
  };
  return {
    clients: createAirbyteClients(settings, createSecretBox(Buffer.alloc(32, 7))),
    limits: { ...looseLimits, ...options.limits },
    poll: { ...quickPoll, ...options.poll },
  };
}

/** Registered, with the consumer of its events, not started. */
export async function buildSyncs(
  url: string,
  airbyte: FakeAirbyte,
  options: SyncsForTest = {},
): Promise<SyncService & { close(): Promise<void> }> {
  const deps = syncsDeps(airbyte, options);
  const engine = await buildEngine(url, [syncsPipeline(deps)], options);
  engine.consume(jobEvents(deps.limits));
  engine.consume(syncsAudit);
  return { ...deps, engine, close: () => engine.close() };
}

export async function buildSyncTenant(database: TestDatabase, plan = 'enterprise'): Promise<string> {
  return (await createTenant(database.app, { name: `Tenant ${plan}`, plan })).tenant_id;
}

let made = 0;

export function buildConnector(
  service: SyncService,
  airbyte: FakeAirbyte,
  tenantId: string,
  wish: Partial<ConnectorWish> = {},
): Promise<ConnectorRow> {
  made += 1;
  return addConnector(service, tenantId, {
    name: `Connector ${made}`,
    connectionId: wish.connectionId ?? airbyte.addConnection().connectionId,
    externalAccountId: `shop-${made}`,
    intervalSeconds: null,
    enabled: true,
    credential: null,
    errorKinds: {},
    createdBy: null,
    ...wish,
  });
}
