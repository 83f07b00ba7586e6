// The dead letters of a large ledger: found by their own index, whatever else has failed.
import { expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';

const db = useDatabase();

it('looking for dead letters reads neither the ledger nor the other failed runs', async () => {
  await db.admin.query(`
    insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, receipt, error_code, finished_at)
    select gen_random_uuid(), '0190a7a0-0000-7000-8000-0000000000aa', 'plain', case when n % 4 = 0 then 'failed' else 'completed' end,
           case when n % 4 = 0 then 'failed' else 'done' end, 'lane', '{}', '{"read": 0}',
           case when n % 4 = 0 then 'input_invalid' end, engine.now()
    from generate_series(1, 20000) n`);
  await db.admin.query(`
    insert into engine.flagged_runs (tenant_id, run_id, pipeline, status, phase, finished_at)
    select tenant_id, id, pipeline, status, phase, finished_at from engine.runs where phase = 'failed'`);
  await db.admin.query('analyze engine.runs');
  await db.admin.query('analyze engine.flagged_runs');
  const { rows } = await db.admin.query<{ 'QUERY PLAN': string }>(
    `explain (analyze, costs off, timing off, summary off) select count(*) from engine.dead_letters where pipeline = 'plain'`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('flagged_runs_dead');
  // What is planned and never executed reads nothing.
  expect(plan).not.toMatch(/Seq Scan on (?:runs|flagged_runs|past_retries|past_keys)\b[^\n]*actual/);
});
