// How often providers told us to wait: by provider, as count and as share, of the installation and of one tenant.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildUser, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { calm } from '../../test/support/fake-airbyte/knobs.ts';
import { type FakeAirbyte, startFakeAirbyte } from '../../test/support/fake-airbyte/server.ts';
import { buildConnector, buildSyncs, buildSyncTenant } from '../../test/support/syncs.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { readThrottling } from '../engine/reads/read-throttling.ts';
import { JobDispatcher } from '../pipelines/syncs/dispatcher.ts';
import type { SyncService } from '../pipelines/syncs/sync-service.ts';
import { leastUuidv7, uuidv7 } from '../platform/ids.ts';

const db = useDatabase();
const HOUR_MS = 3_600_000;
let airbyte: FakeAirbyte;
let service: SyncService & { close(): Promise<void> };
beforeAll(async () => {
  airbyte = await startFakeAirbyte();
  service = await buildSyncs(db.appUrl, airbyte);
  await service.engine.start();
});
afterAll(async () => {
  await service.close();
  await airbyte.close();
});
const api = useApi(db, () => ({ engine: service.engine }));

const read = (tenantId: string) => {
  const sinceMs = Date.now() - HOUR_MS;
  return readThrottling(service.engine.pools.control, tenantId, leastUuidv7(sinceMs), new Date(sinceMs), {
    syncs: 'airbyte',
  });
};

interface Told {
  readonly provider?: string;
  readonly pipeline?: string;
  readonly kinds: readonly (string | null)[];
  /** When the run was made, and when its attempts ended. */
  readonly agoMs?: number;
  readonly attemptsAgoMs?: number;
  readonly isPlanned?: boolean;
  readonly code?: string;
}

/** A run that has had its attempts, as the engine leaves them. */
async function ledger(tenantId: string, told: Told): Promise<void> {
  // Ids of one process never go backwards: one of earlier is put together.
  const id = `${leastUuidv7(Date.now() - (told.agoMs ?? 0)).slice(0, 24)}${uuidv7().slice(24)}`;
  const pipeline = told.pipeline ?? 'syncs';
  await db.admin.query(
    `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input) values ($1, $2, $3, 'queued', 'waiting', 'lane', $4)`,
    [id, tenantId, pipeline, told.provider === undefined ? {} : { provider: told.provider }],
  );
  for (const [n, kind] of told.kinds.entries())
    await db.admin.query(
      `insert into engine.attempts (run_id, attempt, tenant_id, stage, worker_id, outcome, queued_at, started_at, ended_at, error_kind, error_code)
       values ($1, $2, $3, 'sync', $1, 'retried', $4, $4, $4, $5, $6)`,
      [id, n + 1, tenantId, new Date(Date.now() - (told.attemptsAgoMs ?? 0)), kind, told.code ?? null],
    );
  if (told.isPlanned)
    await db.admin.query(
      `insert into engine.scheduled (run_id, pipeline, lane, priority, available_at) values ($1, $2, $3, 0, engine.now() + interval '1 day')`,
      [id, pipeline, tenantId],
    );
}

describe('a sync whose provider asks to slow down', () => {
  it('is counted under the type of its source, for the installation and for its tenant, and for no other tenant', async () => {
    const tenantId = await buildSyncTenant(db);
    const connection = airbyte.addConnection({ sourceId: uuidv7(), sourceType: 'shopify' });
    const connector = await buildConnector(service, airbyte, tenantId, { connectionId: connection.connectionId });
    expect(connector.provider).toBe('shopify');
    airbyte.knobs = { ...calm, rateLimited: 1 };
    await new JobDispatcher(service, tenantId).dispatch({ connectorId: connector.connector_id });
    await waitFor(async () => ((await read(tenantId))[0]?.throttled ?? 0) > 0);
    airbyte.knobs = calm;
    const { body } = await api.server.inject('/metrics');
    expect(body).toContain('millrace_api_throttle_ratio{provider="shopify"} 1');
    expect(body).toContain('millrace_api_attempts{provider="shopify"} 1');
    expect(body).toContain('millrace_api_throttled_attempts{provider="shopify"} 1');
    const figures = async (tenant: string) =>
      (await api.call('system.metrics', { as: await buildUser(db, tenant) })).json().pace;
    expect(await figures(tenantId)).toMatchObject({ api_throttle_rate: { shopify: 1 }, queue_depth: 1 });
    expect(await figures(await buildSyncTenant(db))).toMatchObject({ api_throttle_rate: {}, queue_depth: 0 });
  });

  it.each([
    ['Airbyte does not know the source', {}, null],
    ['Airbyte’s name for it is no short name', { sourceId: uuidv7(), sourceType: 'A very; odd "name"' }, null],
    ['the name is written for people', { sourceId: uuidv7(), sourceType: 'Google Ads' }, 'google-ads'],
  ])('%s: the connector is added all the same', async (_, given, provider) => {
    const connectionId = airbyte.addConnection(given).connectionId;
    const added = await buildConnector(service, airbyte, await buildSyncTenant(db), { connectionId });
    expect(added.provider).toBe(provider);
  });

  it('nothing of the source’s configuration is kept', async () => {
    const { rows } = await db.admin.query(
      `select c::text as text from public.connectors c union all select input::text from engine.schedules`,
    );
    expect(JSON.stringify(rows)).toContain('shopify');
    expect(JSON.stringify(rows)).not.toContain('SECRET-OF-THE-SOURCE');
  });
});

describe('the rate', () => {
  it('is throttled attempts by attempts; a full disk and other failures are no throttling', async () => {
    const tenantId = await buildSyncTenant(db);
    await ledger(tenantId, { provider: 'stripe', kinds: ['rate_limited', null, 'transient', 'rate_limited'] });
    await ledger(tenantId, { provider: 'stripe', kinds: ['rate_limited'], code: 'disk_full' });
    expect(await read(tenantId)).toEqual([{ provider: 'stripe', attempts: 5, throttled: 2 }]);
  });

  it('a sync that names no provider counts as Airbyte’s; a run that asks nobody is not counted', async () => {
    const tenantId = await buildSyncTenant(db);
    await ledger(tenantId, { kinds: [null] });
    await ledger(tenantId, { pipeline: 'ads', kinds: ['rate_limited'] });
    await ledger(tenantId, { pipeline: 'lookup', provider: 'amazon', kinds: ['rate_limited'] });
    expect(await read(tenantId)).toEqual([
      { provider: 'airbyte', attempts: 1, throttled: 0 },
      { provider: 'amazon', attempts: 1, throttled: 1 },
    ]);
  });

  it('knows an older run that still waits, by its attempts of the last hour', async () => {
    const tenantId = await buildSyncTenant(db);
    const old = { agoMs: 5 * HOUR_MS, provider: 'stripe', kinds: ['rate_limited'] };
    await ledger(tenantId, { ...old, isPlanned: true });
    await ledger(tenantId, { ...old, isPlanned: true, attemptsAgoMs: 2 * HOUR_MS });
    expect(await read(tenantId)).toEqual([{ provider: 'stripe', attempts: 1, throttled: 1 }]);
  });

  it('tells twenty names apart and calls the rest other, as it does what is no name', async () => {
    const tenantId = await buildSyncTenant(db);
    for (let n = 0; n < 23; n++) await ledger(tenantId, { provider: `p${n + 10}`, kinds: [null, null] });
    await ledger(tenantId, { provider: 'mary@example.test "x"', kinds: ['rate_limited'] });
    const rows = await read(tenantId);
    expect(rows).toHaveLength(21);
    expect(rows.find((row) => row.provider === 'other')).toEqual({ provider: 'other', attempts: 7, throttled: 1 });
  });
});
