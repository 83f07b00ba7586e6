// A process of the first version (migrations 0001 to 0055) that runs on while its database is migrated, and processes that start on a schema which
// is not theirs. The statements below are those of that version, word for word; they are data and never follow the code.
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rescueLostRuns } from '../../src/engine/services/rescuer.ts';
import { connectClient } from '../../src/platform/database.ts';
import { translateDatabaseError } from '../../src/platform/database-errors.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { silentLog } from '../../src/platform/log.ts';
import { migrate, migrationsFolder, requireCurrentSchema } from '../../src/platform/migrate.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../support/engine.ts';
import { waitFor } from '../support/wait-for.ts';

const old = {
  register: `
      insert into engine.workers (worker_id, name, pid, host, version, pipelines, concurrency, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, engine.now() + $8 * interval '1 millisecond')`,
  renew: `
      update engine.workers
      set heartbeat_at = engine.now(), expires_at = engine.now() + $2 * interval '1 millisecond'
      where worker_id = $1 and ended_at is null`,
  stop: `
      update engine.workers set ended_at = engine.now(), end_reason = 'stopped'
      where worker_id = $1 and ended_at is null
        and not exists (select from engine.leases where worker_id = $1)`,
  endSilent: `
      update engine.workers w
      set ended_at = engine.now(), end_reason = 'lost'
      where w.expires_at < engine.now() and w.ended_at is null
        and not exists (select from engine.leases l where l.worker_id = w.worker_id)`,
};

const frozen = mkdtempSync(path.join(tmpdir(), 'millrace-old-'));
let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let admin: pg.Pool;
/** As the old process has it. */
let engineRole: pg.Client;
const holder = uuidv7();
const idle = uuidv7();
const tenantId = newTenant();
let held: string;

const register = (workerId: string, leaseMs: number) =>
  engineRole.query(old.register, [workerId, 'old', 1, 'h', '0.1.0', ['plain'], 1, leaseMs]);

beforeAll(async () => {
  for (const name of readdirSync(migrationsFolder))
    if (name.slice(0, 4) <= '0055') cpSync(path.join(migrationsFolder, name), path.join(frozen, name));
  database = await createEmptyDatabase();
  await migrate({ url: database.url, appLogin: database.login, folder: frozen });
  admin = new pg.Pool({ connectionString: database.url, max: 2 });
  engineRole = await connectClient({
    ...{ url: database.appUrl, role: 'millrace_engine', applicationName: 'old', connectTimeoutMs: 10_000 },
  });
});

afterAll(async () => {
  await engineRole.end();
  await admin.end();
  await database.close();
  rmSync(frozen, { recursive: true, force: true });
});

const refusal = async (statement: Promise<unknown>) => {
  const error = await statement.then(
    () => undefined,
    (thrown: unknown) => translateDatabaseError(thrown),
  );
  return (error as { code?: string } | undefined)?.code;
};

describe('a process of this version', () => {
  it('does not start on a schema that is behind unless it may migrate it', async () => {
    await expect(requireCurrentSchema(admin)).rejects.toMatchObject({ code: 'schema_behind' });
  });
});

describe('a process of the first version whose database is migrated under it', () => {
  beforeAll(async () => {
    await register(holder, 3_000);
    await register(idle, 60_000);
    await migrate({ url: database.url, appLogin: database.login });
  });

  it('does not start again: the schema is newer than it knows', async () => {
    await expect(requireCurrentSchema(admin, { folder: frozen })).rejects.toMatchObject({ code: 'schema_newer' });
    await expect(migrate({ url: database.url, folder: frozen })).rejects.toMatchObject({ code: 'schema_newer' });
  });

  it('can neither renew its lease nor register again nor declare others lost, and is told to be restarted', async () => {
    expect(await refusal(engineRole.query(old.renew, [holder, 60_000]))).toBe('process_outdated');
    expect(await refusal(register(uuidv7(), 60_000))).toBe('process_outdated');
    await admin.query(
      `update engine.workers set expires_at = engine.now() - interval '1 second' where worker_id = $1`,
      [idle],
    );
    expect(await refusal(engineRole.query(old.endSilent))).toBe('process_outdated');
  });

  it('loses what it holds to a current process once its lease is over, and each run ends once', async () => {
    const engine = await buildEngine(database.appUrl, [buildPipeline('plain', async () => 'complete')]);
    try {
      held = (await engine.enqueue({ pipeline: 'plain', tenantId, input: {} })).id;
      // As its claim left it.
      await admin.query(
        `with taken as (delete from engine.ready where run_id = $1)
         update engine.runs set status = 'working', phase = 'active', attempt = 1, started_at = engine.now() where id = $1`,
        [held],
      );
      await admin.query(
        `insert into engine.leases (run_id, attempt, worker_id, tenant_id, pipeline, lane, stage, capped, queued_at)
         values ($1, 1, $2, $3, 'plain', 'x', 'work', false, engine.now())`,
        [held, holder, tenantId],
      );
      await engine.start();
      await waitFor(async () => (await engine.run(tenantId, held)).phase === 'done', {
        what: 'the run of the old process to be taken over',
      });
    } finally {
      await engine.close();
    }
    const { rows } = await admin.query('select outcome from engine.attempts where run_id = $1 order by attempt', [
      held,
    ]);
    expect(rows).toEqual([{ outcome: 'lost' }, { outcome: 'complete' }]);
    expect((await admin.query('select end_reason from engine.workers where worker_id = $1', [holder])).rows).toEqual([
      { end_reason: 'lost' },
    ]);
  });

  it('may stop in good order at any time', async () => {
    const leaving = uuidv7();
    await admin.query(old.register, [leaving, 'old', 1, 'h', '0.1.0', ['plain'], 1, 60_000]);
    expect((await engineRole.query(old.stop, [leaving])).rowCount).toBe(1);
  });
});

it('current processes declare each other lost as before', async () => {
  const engine = await buildEngine(database.appUrl, [buildPipeline('plain', async () => 'complete')]);
  try {
    await admin.query(old.register, [uuidv7(), 'old', 1, 'h', '0.1.0', ['plain'], 1, -1_000]);
    await rescueLostRuns(engine.pools.control, silentLog);
    const { rows } = await admin.query(
      'select from engine.workers where ended_at is null and expires_at < engine.now()',
    );
    expect(rows).toEqual([]);
  } finally {
    await engine.close();
  }
});
