// What promotion reads of the tables grows with the batch and not with what is stored, also where the table has no statistics yet.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AdsBench, openAdsBench } from '../../../test/support/ads.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { type Queryable, withTenant } from '../../platform/database.ts';
import type { LookUp } from './sql/judge-metrics.ts';
import { promoteMetrics } from './sql/promote-metrics.ts';
import { surveyMetrics } from './sql/survey-metrics.ts';
import { fixPlan } from './sql/tune-transaction.ts';

const STORED = 20_000;
const ROWS = 50;
const database = useDatabase();
let bench: AdsBench;
beforeAll(async () => {
  bench = await openAdsBench(database.appUrl);
  await bench.engine.start();
  // The server would gather statistics of its own accord, sooner or later.
  await database.admin.query('alter table daily_metric_rows set (autovacuum_enabled = off)');
});
afterAll(() => bench.close());

type Level = 'ad' | 'campaign';
const headers: Readonly<Record<Level, string>> = {
  ad: 'Day,Campaign ID,Ad set ID,Ad ID,Amount spent (USD),Impressions',
  campaign: 'Day,Campaign ID,Amount spent (USD),Impressions',
};
const fileOf = (level: Level, spend: string) =>
  [headers[level], ...Array.from({ length: ROWS }, (_, n) => rowOf(level, n, spend))].join('\n');
const rowOf = (level: Level, n: number, spend: string) => `2024-01-03,${level === 'ad' ? `1,2,${n}` : n},${spend},100`;

/** A thousand numbers for each of twenty days. */
async function store(tenantId: string, clientId: string | null, level: Level): Promise<void> {
  await database.admin.query(
    `insert into daily_metric_rows (workspace_id, client_id, platform, metric_date, campaign_external_id, ad_set_external_id, ad_external_id,
                                currency, spend, impressions, run_id, line, byte_offset, reported_at)
     select $1, $2, 'meta', date '2024-01-01' + n % 20, case when $3 then '1' else (n / 20)::text end, case when $3 then '2' end,
            case when $3 then (n / 20)::text end, 'USD', 1, 100, gen_random_uuid(), n, n, '2024-02-01'
     from generate_series(0, $4::int - 1) n`,
    [tenantId, clientId, level === 'ad', STORED],
  );
}

/** Rows of daily_metric_rows that this connection has looked at so far. */
async function readOf(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ read: string }>(
    `select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = 'daily_metric_rows'`,
  );
  return Number(rows[0]?.read);
}

const cases: readonly { what: string; lookUp: LookUp; level: Level; clientId: string | null }[] = [
  { what: 'ads', lookUp: 'of-none', level: 'ad', clientId: null },
  { what: 'ads of a client', lookUp: 'of-client', level: 'ad', clientId: randomUUID() },
  { what: 'ads, doubted,', lookUp: 'any', level: 'ad', clientId: null },
  { what: 'campaigns', lookUp: 'any', level: 'campaign', clientId: null },
];

it.each(cases)('of $what only the numbers that are restated or confirmed are read', async (each) => {
  const { lookUp, level, clientId } = each;
  const tenantId = newTenant();
  await store(tenantId, clientId, level);
  // Older than what is stored, so that staging is filled and nothing written.
  const input = { reported_at: '2024-01-31T00:00:00Z', ...(clientId === null ? {} : { client_id: clientId }) };
  const restating = await bench.ingest(tenantId, fileOf(level, '2'), input);
  const confirming = await bench.ingest(tenantId, fileOf(level, '1'), input);
  for (const before of ['select', 'analyze daily_metric_rows']) {
    await database.admin.query(before);
    for (const [uploadId, outcome] of [
      [confirming.id, 'unchanged'],
      [restating.id, 'updated'],
    ] as const) {
      const scope = {
        uploadId,
        workspaceId: tenantId,
        clientId,
        platform: 'meta',
        reportedAt: '2024-03-01',
        part: null,
        rereadOf: null,
      };
      const range = { from: 0, to: ROWS };
      await withTenant(bench.engine.pools.effects, { tenantId, role: 'ads_promote' }, async (tx) => {
        await fixPlan(tx);
        const atFirst = await readOf(tx);
        await tx.query('savepoint looked');
        await surveyMetrics(tx, scope, range, lookUp);
        await tx.query('rollback to savepoint looked');
        const promotion = await promoteMetrics(tx, scope, range, {
          confirms: true,
          trustsHints: false,
          lookUp,
          contested: [],
        });
        expect(promotion).toMatchObject({ outcomes: [{ outcome, rows: ROWS }], isContended: false });
        expect((await readOf(tx)) - atFirst).toBeLessThanOrEqual(3 * ROWS);
        await tx.query('rollback to savepoint looked');
      });
    }
  }
});
