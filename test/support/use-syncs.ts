// What the tests of syncs stand on: a database, a fake Airbyte, an engine at work on it and a tenant, for one test file. After each
// test Airbyte behaves again and the engine's clock is right.
import { afterAll, afterEach, beforeAll } from 'vitest';
import { JobDispatcher } from '../../src/pipelines/syncs/dispatcher.ts';
import type { SyncService } from '../../src/pipelines/syncs/sync-service.ts';
import { setClockOffset, type TestDatabase, useDatabase } from './database.ts';
import { calm } from './fake-airbyte/knobs.ts';
import { type FakeAirbyte, type FakeAirbyteOptions, startFakeAirbyte } from './fake-airbyte/server.ts';
import { buildSyncs, buildSyncTenant } from './syncs.ts';

export interface SyncsStage {
  readonly db: TestDatabase;
  readonly airbyte: FakeAirbyte;
  readonly service: SyncService;
  readonly tenantId: string;
  dispatcher(): JobDispatcher;
}

export function useSyncs(airbyteOptions: FakeAirbyteOptions): SyncsStage {
  const db = useDatabase();
  let airbyte: FakeAirbyte;
  let service: SyncService & { close(): Promise<void> };
  let tenantId: string;
  beforeAll(async () => {
    airbyte = await startFakeAirbyte(airbyteOptions);
    service = await buildSyncs(db.appUrl, airbyte);
    tenantId = await buildSyncTenant(db);
    await service.engine.start();
  });
  afterEach(async () => {
    airbyte.knobs = calm;
    await setClockOffset(db.admin, '0');
  });
  afterAll(async () => {
    await service?.close();
    await airbyte?.close();
  });
  return {
    db,
    get airbyte() {
      return airbyte;
    },
    get service() {
      return service;
    },
    get tenantId() {
      return tenantId;
    },
    dispatcher: () => new JobDispatcher(service, tenantId),
  };
}
