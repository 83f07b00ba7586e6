// The doctor asks with the settings of the installation, not with the database's own defaults.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { makeTempHome, removeTempHome } from '../../../test/support/temp-home.ts';
import { loadConfig } from '../../platform/config.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { silentLog } from '../../platform/log.ts';
import { examine } from './examine.ts';
import type { Finding } from './finding.ts';

const db = useDatabase();
const home = makeTempHome('doctor');

/** A batch that has been in work for 90 minutes, and whose worker is silent. */
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

it.each([
  ['1', 'warn', 'No Stale Runs: 1 stale'],
  ['2', 'ok', 'unique keys, status guard and grants in place, no batch is stale'],
])('with PROCESSING_TIMEOUT_HOURS=%s a batch of 90 minutes is %s', async (hours, state, detail) => {
  const config = loadConfig({
    MILLRACE_HOME: home,
    DATABASE_URL: db.appUrl,
    DATABASE_MIGRATION_URL: db.adminUrl,
    PROCESSING_TIMEOUT_HOURS: hours,
  });
  const findings: Finding[] = [];
  await examine(config, silentLog, (finding) => findings.push(finding));
  expect(findings.find(({ check }) => check === 'judgments')).toMatchObject({ state, detail });
});
