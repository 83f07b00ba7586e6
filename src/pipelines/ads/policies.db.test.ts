// The specification's rows about retries, roles and staging, as they hold for an upload.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdsBench, openAdsBench } from '../../../test/support/ads.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { defaultRetryPolicy, judge } from '../../engine/retry-policy.ts';
import { withTransaction } from '../../platform/database.ts';
import { adsRetryPolicy } from './ads.pipeline.ts';
import { adsIntake } from './http/ads-handlers.ts';

const database = useDatabase();
let bench: AdsBench;

beforeAll(async () => {
  bench = await openAdsBench(database.appUrl);
  await bench.engine.start();
});
afterAll(() => bench.close());

const policy = { ...defaultRetryPolicy, ...adsRetryPolicy };
const header = 'Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Clicks (all)';
const file = (campaign: string) => `${header}\n2024-01-01,${campaign},1001,1.50,100,5\n`;

function verdicts(kind: 'transient' | 'conflict' | 'rate_limited') {
  const delays: (number | string)[] = [];
  for (let before = 0; delays.at(-1) !== 'end' && before < 10; before += 1) {
    const verdict = judge(policy, { kind, stage: 'promote', failures: { [`${kind}:promote`]: before }, runAgeMs: 0 });
    delays.push(verdict.act === 'retry' ? verdict.delayMs : 'end');
  }
  return delays;
}

describe('the retry rules of the specification', () => {
  it.each([
    ['transient', [1_000, 2_000, 4_000, 'end']],
    ['conflict', [100, 200, 400, 'end']],
    ['rate_limited', [60_000, 60_000, 60_000, 60_000, 60_000, 'end']],
  ] as const)('%s: %s', (kind, expected) => {
    expect(verdicts(kind)).toEqual(expected);
  });

  it('a deadlock that does not end is tried by the policy, fails the upload, and refuses no row for it', async () => {
    const tenantId = newTenant();
    await database.admin.query(`
      create function always_deadlock() returns trigger language plpgsql as $$
        begin raise exception 'deadlock detected' using errcode = '40P01'; end $$;
      create trigger always_deadlock before insert on daily_metric_rows for each row
        when (new.workspace_id = '${tenantId}') execute function always_deadlock()`);
    const run = await bench.ingest(tenantId, file('Spring'));
    expect(run).toMatchObject({ status: 'failed', error_code: 'transaction_conflict' });
    const { rows } = await database.admin.query(
      `select (select count(*)::int from engine.attempts where run_id = $1 and stage = 'promote' and outcome = 'retried') as retries,
              (select count(*)::int from engine.rejects where run_id = $1) as rejects`,
      [run.id],
    );
    expect(rows).toEqual([{ retries: 3, rejects: 0 }]);
    await database.admin.query('drop trigger always_deadlock on daily_metric_rows');
    const { id } = await bench.engine.retry({ tenantId, by: 'ada' }, run.id);
    expect(await bench.ended(tenantId, id)).toMatchObject({ status: 'completed' });
  });
});

describe('the intake', () => {
  it('looks at clients and mappings as ads_intake: without that role’s right it cannot', async () => {
    const intake = adsIntake(bench.engine);
    const request = {
      tenantId: newTenant(),
      fields: intake.fields.parse({ platform: 'meta', client_id: newTenant() }),
      file: { originalName: 'x.csv' } as never,
      at: new Date(),
    };
    await expect(intake.check?.(request)).rejects.toMatchObject({ code: 'client_not_found' });
    await database.admin.query('revoke select (client_id, tenant_id) on public.clients from ads_intake');
    await expect(intake.check?.(request)).rejects.toMatchObject({ code: '42501' });
    await database.admin.query('grant select (client_id, tenant_id) on public.clients to ads_intake');
  });
});

describe('a staged row', () => {
  it('shows the whole normalized row as raw_data in the view staged_rows; in the table values have columns', async () => {
    const tenantId = newTenant();
    const { id } = await bench.ingest(tenantId, file('Spring'));
    const { rows } = await withTransaction(database.admin, async (tx) => {
      await tx.query(`select set_config('role', 'millrace_app', true), set_config('millrace.tenant_id', $1, true)`, [
        tenantId,
      ]);
      return tx.query(`select raw_data from staged_rows where upload_id = $1 and entity_type = 'daily_metric'`, [id]);
    });
    expect(rows).toMatchObject([
      {
        raw_data: {
          metric_date: '2024-01-01',
          campaign_id: '1001',
          spend: 1.5,
          impressions: 100,
          clicks: 5,
          currency: 'USD',
        },
      },
    ]);
  });
});
