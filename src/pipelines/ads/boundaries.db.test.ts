// The workers' boundaries hold in the database: each role may write its own tables, and every other write is refused.
import { describe, expect, it } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { withTransaction } from '../../platform/database.ts';

const database = useDatabase();
const staging = ['staging_rows', 'staging_id_resolution'];
const production = [
  'campaigns',
  'ad_sets',
  'ads',
  'daily_metric_rows',
  'daily_metric_grains',
  'daily_metrics_history',
  'ads_links',
  'undone_uploads',
];

/** What each role may do, table by table; everything else is refused. */
const allowed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ads_intake: {},
  ads_parse: { staging_rows: 'siu', upload_readings: 'siu' },
  ads_promote: {
    staging_rows: 'su',
    staging_id_resolution: 'si',
    upload_readings: 's',
    campaigns: 'siud',
    ad_sets: 'siud',
    ads: 'siud',
    daily_metric_rows: 'siud',
    daily_metric_grains: 'si',
    ads_links: 'siu',
    daily_metrics_history: 'si',
    undone_uploads: 'si',
  },
  ads_cleanup: { staging_rows: 'd', staging_id_resolution: 'd' },
  millrace_engine: {},
};

// They change nothing where they are allowed; where they are not, they are refused before a row is looked at.
const statements = (table: string) => ({
  s: `select * from ${table}`,
  i: `insert into ${table} (workspace_id) select null::uuid where false`,
  u: `update ${table} set workspace_id = workspace_id where false`,
  d: `delete from ${table} where false`,
});

async function attempt(role: string, sql: string): Promise<'done' | 'refused'> {
  return withTransaction(database.admin, async (tx) => {
    await tx.query(`set local role ${role}`);
    await tx.query(`select set_config('millrace.tenant_id', $1, true)`, [newTenant()]);
    await tx.query(sql);
    return 'done' as const;
  }).catch((error: { code?: string }) => {
    if (error.code === '42501') return 'refused' as const;
    throw error;
  });
}

describe('the ads roles', () => {
  it.each(Object.keys(allowed))('%s may write its tables and no other', async (role) => {
    for (const table of [...staging, ...production, 'upload_readings']) {
      const rights = allowed[role]?.[table] ?? '';
      const { rows } = await database.admin.query<{ right: string }>(
        `select r as right from unnest(array['s', 'i', 'u', 'd']) r
         where has_table_privilege($1, $2, case r when 's' then 'select' when 'i' then 'insert' when 'u' then 'update' else 'delete' end)
            or (r <> 'd' and r <> 's' and has_any_column_privilege($1, $2, case r when 'i' then 'insert' else 'update' end))`,
        [role, table],
      );
      expect([table, rows.map(({ right }) => right).join('')]).toEqual([table, rights]);
      for (const [right, sql] of Object.entries(statements(table))) {
        if (rights.includes(right)) continue;
        expect([table, right, await attempt(role, sql)]).toEqual([table, right, 'refused']);
      }
    }
  });

  it('parse links refused rows that came back and writes their correction, and changes nothing else of them', async () => {
    expect(await attempt('ads_parse', `update engine.rejects set status = 'replayed' where line = 1`)).toBe('done');
    for (const column of ['item', 'code', 'message', 'line'])
      expect(await attempt('ads_parse', `update engine.rejects set ${column} = null where false`)).toBe('refused');
    expect(await attempt('ads_parse', 'select item from engine.rejects')).toBe('refused');
    expect(await attempt('ads_promote', `update engine.rejects set status = 'open' where false`)).toBe('refused');
  });

  it('cleanup sees whose staging is old, and nothing of what it holds', async () => {
    expect(await attempt('ads_cleanup', 'select upload_id, created_at from staging_rows')).toBe('done');
    expect(await attempt('ads_cleanup', 'select raw_data from staging_rows')).toBe('refused');
    expect(await attempt('ads_cleanup', 'select spend from staging_rows')).toBe('refused');
  });

  it('every table is guarded by row-level security, also against its owner, and the views ask as their reader', async () => {
    const { rows } = await database.admin.query(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relname = any ($1) and relrowsecurity and relforcerowsecurity`,
      [[...staging, ...production, 'upload_readings']],
    );
    expect(rows).toHaveLength(11);
    const views = await database.admin.query(
      `select relname from pg_class where relname in ('data_uploads', 'staging_progress', 'staged_rows', 'daily_metrics', 'daily_metrics_by_grain') and 'security_invoker=true' = any (reloptions)`,
    );
    expect(views.rows).toHaveLength(5);
  });

  it('a stage sees its own tenant only', async () => {
    const [mine, other] = [newTenant(), newTenant()];
    for (const workspace of [mine, other])
      await database.admin.query(
        `insert into campaigns (workspace_id, platform, external_id, run_id, line, reported_at) values ($1, 'meta', 'x', $1, 1, now())`,
        [workspace],
      );
    const seen = await withTransaction(database.admin, async (tx) => {
      await tx.query('set local role ads_promote');
      await tx.query(`select set_config('millrace.tenant_id', $1, true)`, [mine]);
      return tx.query('select workspace_id from campaigns');
    });
    expect(seen.rows).toEqual([{ workspace_id: mine }]);
  });
});
