// The crash guard looks as soon as it starts, and says what it finds without touching it.
import { afterEach, expect, it } from 'vitest';
import { buildTenant } from '../../../test/support/api.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { buildEngine } from '../../../test/support/engine.ts';
import { keepLines } from '../../../test/support/log-lines.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { createCrashGuard } from './crash-guard.ts';

const database = useDatabase();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A worker that holds a lease of the pipeline and was last heard of so many minutes ago. Nobody here takes the run over. */
async function buildSilentWorker(tenantId: string, pipeline: string, minutes: number): Promise<void> {
  const workerId = uuidv7();
  await database.admin.query(
    `insert into engine.workers (worker_id, name, pid, host, version, pipelines, concurrency, heartbeat_at, expires_at)
     values ($1, 'gone', 1, 'elsewhere', '1', array[$2::text], 1, engine.now() - make_interval(mins => $3 + 1), engine.now() - make_interval(mins => $3))`,
    [workerId, pipeline, minutes],
  );
  await database.admin.query(
    `insert into engine.leases (run_id, attempt, worker_id, tenant_id, pipeline, lane, stage, capped, queued_at)
     values ($1, 1, $2, $3, $4, 'lane', 'process', false, engine.now())`,
    [uuidv7(), workerId, tenantId, pipeline],
  );
}

async function startGuard() {
  const kept = keepLines();
  const engine = await buildEngine(database.appUrl, []);
  const guard = createCrashGuard({
    pool: engine.pools.control,
    log: kept.log,
    election: { isElected: () => true, onElected: () => () => undefined },
    queuedHours: 1,
    staleMinutes: 15,
  });
  guard.start();
  stops.push(async () => {
    await guard.stop();
    await engine.close();
  });
  return { ...kept, guard };
}

it('document runs of a worker that is silent for longer than CRASH_GUARD_RUNNING_STALE_MIN are said at once, others are not', async () => {
  const tenantId = await buildTenant(database);
  await buildSilentWorker(tenantId, 'documents', 16);
  await buildSilentWorker(tenantId, 'documents', 14);
  await buildSilentWorker(tenantId, 'ads', 60);
  const before = await database.admin.query('select * from engine.leases order by run_id');
  const { lines, guard } = await startGuard();
  const said = (count: number) =>
    waitFor(async () => lines.find((line) => line.code === 'no_heartbeat' && line.count === count));
  expect(await said(1)).toMatchObject({ pipeline: 'documents' });
  await database.admin.query(`update engine.workers set expires_at = expires_at - interval '2 minutes'`);
  guard.wake();
  await said(2);
  const after = await database.admin.query('select * from engine.leases order by run_id');
  expect(after.rows).toEqual(before.rows);
});
