// Updates of the ledger touch no index: what a run is updated with while it lives stands in none, and its page has room for the next version.
import { afterAll, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';

const db = useDatabase();
const RUNS = 2_000;
let engine: Awaited<ReturnType<typeof buildEngine>>;

afterAll(() => engine.close());

/** What claims, commits, ends, cancellations and retries write. */
const LIVING = [
  ...['status', 'phase', 'attempt', 'failures', 'wait_reason', 'started_at', 'updated_at', 'finished_at', 'receipt'],
  ...['error_code', 'error_text', 'cancel_requested_at', 'cancel_requested_by'],
];

it('no index of the ledger names a column that changes while a run lives', async () => {
  const { rows } = await db.admin.query<{ index: string; column: string }>(
    `select i.indexrelid::regclass::text as index, a.attname as column
     from pg_index i
     join pg_attribute a on a.attrelid = i.indrelid
     where i.indrelid = 'engine.runs'::regclass
       and (a.attnum = any (i.indkey) or pg_get_expr(i.indexprs, i.indrelid) ~ ('\\m' || a.attname || '\\M')
            or pg_get_expr(i.indpred, i.indrelid) ~ ('\\m' || a.attname || '\\M'))`,
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter(({ column }) => LIVING.includes(column))).toEqual([]);
});

it('runs that are claimed and ended in batches are updated in place', async () => {
  engine = await buildEngine(db.appUrl, [buildPipeline('hot', async () => 'complete')]);
  const tenantId = newTenant();
  await engine.enqueueMany(Array.from({ length: RUNS }, () => ({ pipeline: 'hot', tenantId, input: {} })));
  await engine.start({ worker: true });
  const updates = async () =>
    (
      await db.admin.query<{ all: number; hot: number }>(
        `select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables where relid = 'engine.runs'::regclass`,
      )
    ).rows[0] as { all: number; hot: number };
  // Sessions tell of what they did when they have been idle for a moment: a claim and an end each.
  await waitFor(async () => (await updates()).all >= 2 * RUNS || undefined, { what: 'all updates to be counted' });
  const { all, hot } = await updates();
  expect(hot / all).toBeGreaterThan(0.99);
});
