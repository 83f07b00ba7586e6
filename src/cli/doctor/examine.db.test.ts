// The doctor finds what was broken on purpose, and asks with the settings of the installation, not with the database's own defaults.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setClockOffset, useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { hasPgBouncer, startPgBouncer } from '../../../test/support/pgbouncer.ts';
import { makeTempHome, removeTempHome } from '../../../test/support/temp-home.ts';
import { kits } from '../../pipelines/all.ts';
import { loadConfig } from '../../platform/config.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { silentLog } from '../../platform/log.ts';
import { examine } from './examine.ts';
import type { Finding } from './finding.ts';

const db = useDatabase();
const home = makeTempHome('doctor');

/** A batch that has been active for 90 minutes, and whose worker is silent. */
beforeAll(async () => {
  const [run, worker, tenant] = [uuidv7(), uuidv7(), newTenant()];
  await db.admin.query(
    `insert into engine.workers (worker_id, name, pid, host, version, pipelines, concurrency, expires_at)
     values ($1, 'silent', 1, 'h', 'test', '{judgments}', 1, engine.now() - interval '1 minute')`,
    [worker],
  );
  await db.admin.query(
    `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, unique_key, attempt, started_at)
     values ($1, $2, 'judgments', 'processing', 'active', 'x', '{}', 'june', 1, engine.now() - interval '90 minutes')`,
    [run, tenant],
  );
  await db.admin.query(
    `insert into engine.leases (run_id, attempt, worker_id, tenant_id, pipeline, lane, stage, capped, queued_at, claimed_at)
     values ($1, 1, $2, $3, 'judgments', 'x', 'import', false, engine.now(), engine.now() - interval '90 minutes')`,
    [run, worker, tenant],
  );
});

afterAll(() => removeTempHome(home));

describe.skipIf(!hasPgBouncer())('behind PgBouncer', () => {
  const behind = async (settings: Record<string, string>, env: (pooled: string) => Record<string, string>) => {
    const pgbouncer = await startPgBouncer(db.appUrl, [db.appUrl], { settings });
    const findings = await findingsWith(env(pgbouncer.through(db.appUrl)));
    await pgbouncer.stop();
    return findings.get('connections');
  };

  it('proves that role and timeouts arrive, through the pooler and directly', async () => {
    const env = (pooled: string) => ({
      DATABASE_POOLER: 'transaction',
      DATABASE_URL: pooled,
      DATABASE_DIRECT_URL: db.appUrl,
    });
    expect(await behind({}, env)).toMatchObject({ state: 'ok', detail: expect.stringContaining('and directly') });
  });

  it('finds a default of the database under which single statements through the pooler see less', async () => {
    await db.admin.query(`alter database ${db.name} set default_transaction_isolation = 'repeatable read'`);
    const found = await behind({}, (pooled) => ({
      DATABASE_POOLER: 'transaction',
      DATABASE_URL: pooled,
      DATABASE_DIRECT_URL: db.appUrl,
    })).finally(() => db.admin.query(`alter database ${db.name} reset default_transaction_isolation`));
    expect(found).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('repeatable read instead of read committed'),
      fix: expect.stringContaining('reset default_transaction_isolation'),
    });
  });

  it('finds a pooler that drops them silently, and one in the place of the server itself', async () => {
    const dropped = await behind({ ignore_startup_parameters: 'options' }, (pooled) => ({ DATABASE_URL: pooled }));
    expect(dropped).toMatchObject({ state: 'fail', detail: expect.stringContaining('instead of millrace_engine') });
    const notDirect = await behind({ ignore_startup_parameters: 'options' }, (pooled) => ({
      DATABASE_POOLER: 'transaction',
      DATABASE_URL: pooled,
      DATABASE_DIRECT_URL: pooled,
    }));
    expect(notDirect).toMatchObject({ state: 'fail', detail: expect.stringContaining('DATABASE_DIRECT_URL runs') });
  });
});

async function findingsWith(env: Record<string, string> = {}): Promise<Map<string, Finding>> {
  const config = loadConfig({
    MILLRACE_HOME: home,
    DATABASE_URL: db.appUrl,
    DATABASE_MIGRATION_URL: db.adminUrl,
    ...env,
  });
  const findings = new Map<string, Finding>();
  const checks = kits.flatMap(({ doctor = [] }) => doctor);
  await examine(config, silentLog, (finding) => findings.set(finding.check, finding), { checks });
  return findings;
}

it.each([
  ['1', 'warn', 'No Stale Runs: 1 stale'],
  ['2', 'ok', 'unique keys, status guard and grants in place, no batch is stale'],
])('with PROCESSING_TIMEOUT_HOURS=%s a batch of 90 minutes is %s', async (hours, state, detail) => {
  expect((await findingsWith({ PROCESSING_TIMEOUT_HOURS: hours })).get('judgments')).toMatchObject({ state, detail });
});

it('a silent worker, a protection that is gone, a clock that is wrong and an outbox nobody carries are each told with the fix', async () => {
  await db.admin.query(`
    alter table engine.rejects no force row level security;
    with told as (insert into engine.events (tenant_id, type, key, data, created_at)
                  values (gen_random_uuid(), 'test', '', '{}', engine.now() - interval '2 minutes') returning event_id)
    insert into engine.event_inbox select event_id from told`);
  await setClockOffset(db.admin, '5 minutes');
  try {
    const findings = await findingsWith();
    for (const [check, state, detail, fix] of [
      ['row security', 'fail', /engine\.rejects: row-level security is not/, /docs\/operations\.md/],
      ['clock', 'fail', /are [45] min .* apart/, /NTP/],
      ['workers', 'warn', /no worker is alive/, /millrace worker/],
      ['runs', 'warn', /1 run held by a worker that has gone silent/, /millrace worker/],
      ['events', 'warn', /1 event not delivered/, /millrace scheduler/],
    ] as const)
      expect(findings.get(check), check).toMatchObject({
        state,
        detail: expect.stringMatching(detail),
        fix: expect.stringMatching(fix),
      });
    for (const check of ['disk', 'blob store', 'database', 'schema'])
      expect(findings.get(check)?.state, check).toBe('ok');
  } finally {
    await setClockOffset(db.admin, '0');
    await db.admin.query('alter table engine.rejects force row level security; truncate engine.event_inbox');
  }
});

it('work that stands is told with how long no run has ended, and fails the doctor', async () => {
  expect((await findingsWith({ NO_END_MINUTES: '100' })).get('progress')).toMatchObject({
    state: 'warn',
    detail: '1 run held by a worker that has ended, gone silent or is unknown',
  });
  expect((await findingsWith({ NO_END_MINUTES: '15' })).get('progress')).toMatchObject({
    state: 'fail',
    detail: expect.stringMatching(/no run has ended or moved for (90|9\d) minutes/),
    fix: expect.stringMatching(/pg_stat_activity/),
  });
});

it('schedules that are set aside, fail or are overdue are counted, and one is named with its reason', async () => {
  expect((await findingsWith()).get('schedules')?.state).toBe('ok');
  await db.admin.query(`
    insert into engine.schedules (schedule_id, tenant_id, name, pipeline, cron, next_at, set_aside_at, trouble_code, trouble_text, trouble_at)
    select gen_random_uuid(), gen_random_uuid(), name, 'syncs', '0 6 * * *', engine.now() - interval '1 hour', aside, code, code || ' text', at
    from (values ('bad', engine.now(), 'schedule_invalid', engine.now()),
                 ('failing', null, 'internal', engine.now()),
                 ('nobody''s', null, null, null)) as s (name, aside, code, at)`);
  expect((await findingsWith()).get('schedules')).toMatchObject({
    state: 'warn',
    detail:
      'of 3 schedules: 1 set aside, 1 failing, 1 overdue; "bad" of pipeline syncs: schedule_invalid, schedule_invalid text',
    fix: expect.stringMatching(/Save a schedule/),
  });
});
