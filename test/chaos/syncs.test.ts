// Small doses of the sync suites on every test run. The landing doses are `npm run chaos -- syncs` and `-- syncs-week`.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { startFakeAirbyte } from '../support/fake-airbyte/server.ts';
import { compilePrograms, programFile } from '../support/programs.ts';
import { buildConnector, buildSyncs, buildSyncTenant } from '../support/syncs.ts';
import { type ChaosServer, openChaosServer } from './ground.ts';
import { runSyncKills } from './syncs.ts';
import { runSyncWeek, smallWeek } from './syncs-week.ts';
import type { SyncWorkerOrders } from './syncs-worker.ts';

const nothing = { lost: 0, duplicated: 0, wrong: 0, stuck: 0, orphans: 0, zombieWrites: 0 };
const db = useDatabase();
let server: ChaosServer;

beforeAll(async () => {
  compilePrograms();
  server = await openChaosServer();
});
afterAll(() => server.close());

it('workers killed between trigger and storing the job id leave one Airbyte job per run', async () => {
  const { counts, details } = await runSyncKills({ seed: 20_261_115, kills: 6, workers: 3 }, server);
  expect(counts).toEqual(nothing);
  expect(Object.values(details.killed).reduce((sum, count) => sum + count, 0)).toBe(6);
  expect(details.adopted).toBeGreaterThan(0);
});

it('a simulated day of connectors on all plans, with an outage, misses no window and syncs none too soon', async () => {
  const { counts, details } = await runSyncWeek({ ...smallWeek, seed: 20_261_115 }, undefined, server);
  expect(counts).toEqual(nothing);
  expect(details.succeeded).toBeGreaterThan(15);
});

it('ten processes that dispatch one connector at the same moment make one job and get nine clear answers', async () => {
  const airbyte = await startFakeAirbyte();
  const service = await buildSyncs(db.appUrl, airbyte);
  const tenantId = await buildSyncTenant(db);
  const { connector_id: connectorId } = await buildConnector(service, airbyte, tenantId);
  const orders: SyncWorkerOrders = {
    url: db.appUrl,
    settings: {},
    airbyte: { url: airbyte.url, token: airbyte.token, workspaceId: airbyte.workspaceId },
    dispatch: { tenantId, connectorId },
  };
  const children = await Promise.all(Array.from({ length: 10 }, () => readyChild(orders)));
  const answers = await Promise.all(children.map(({ answer }) => answer()));
  expect(new Set(answers.map(({ job }) => job)).size).toBe(1);
  expect(answers.filter(({ created }) => created)).toHaveLength(1);
  expect(answers.filter(({ created, status }) => !created && status === 'queued')).toHaveLength(9);
  const { rows } = await db.admin.query('select from engine.runs where pipeline = $1', ['syncs']);
  expect(rows).toHaveLength(1);
  await service.close();
  await airbyte.close();
});

async function readyChild(orders: SyncWorkerOrders) {
  const child: ChildProcess = spawn(
    process.execPath,
    [programFile('test/chaos/syncs-worker.ts'), JSON.stringify(orders)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  await lines.next();
  return {
    async answer(): Promise<{ created: boolean; job: string; status: string }> {
      child.stdin?.write('go\n');
      return JSON.parse(String((await lines.next()).value)) as { created: boolean; job: string; status: string };
    },
  };
}
