// Verifying a run reads a whole file and its tables; meanwhile it holds no transaction open.
import type pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { inIndexOrder, type PlannedStatement } from '../platform/planner-settings.ts';
import type { Engine } from './engine.ts';

const db = useDatabase();
let engine: (Engine & { close(): Promise<void> }) | undefined;
afterAll(() => engine?.close());

it('a recount that reads for long keeps no transaction open between its statements, and sees its tenant alone', async () => {
  const open: number[] = [];
  const seen: string[] = [];
  const sorts: string[] = [];
  const sorting = 'show enable_sort';
  const pipeline = buildPipeline('recounted', async () => 'complete', {
    async recount(_, tx) {
      const { rows } = await tx.query(`select current_user as role, current_setting('millrace.tenant_id') as tenant`);
      seen.push(rows[0].role, rows[0].tenant);
      const { rows: sessions } = await db.admin.query(
        `select count(*)::int as open from pg_stat_activity
         where datname = current_database() and state like 'idle in transaction%' and usename <> current_user`,
      );
      open.push(sessions[0].open);
      await expect(tx.query('delete from engine.runs')).rejects.toThrow();
      const planned: PlannedStatement = { text: sorting, settings: inIndexOrder };
      for (const statement of [planned, sorting])
        sorts.push((await tx.query(statement as pg.QueryConfig)).rows[0].enable_sort);
      return { read: 0, outcomes: {} };
    },
  });
  engine = await buildEngine(db.appUrl, [pipeline]);
  const tenantId = newTenant();
  const { id } = await engine.enqueue({ pipeline: 'recounted', tenantId, input: {} });
  await engine.start();
  const running = engine;
  await waitFor(async () => (await running.run(tenantId, id)).phase === 'done');
  await engine.stop();
  expect((await engine.verify(tenantId, id)).agrees).toBe(true);
  expect([open, seen]).toEqual([[0], ['millrace_app', tenantId]]);
  expect(sorts, 'what a statement is planned under holds for it alone').toEqual(['off', 'on']);
});
