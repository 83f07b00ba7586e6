// However many tenants an installation has, a scrape stays small: a time series database must not fill up with their ids.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useApi } from '../../../test/support/api.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { buildEngine } from '../../../test/support/engine.ts';
import type { Engine } from '../../engine/engine.ts';

const TENANTS = 10_000;
const db = useDatabase();
let engine: Engine & { close(): Promise<void> };
beforeAll(async () => {
  engine = await buildEngine(db.appUrl, []);
});
afterAll(() => engine.close());
const api = useApi(db, () => ({ engine }));

/** What this process says of its own requests, whoever made them. */
let before: ReadonlyMap<string, number>;

/** Each with a dead sync of its own connector, a throttled provider of its own, an alert of a rule of its own, and a run in the queue. */
beforeAll(async () => {
  before = countSeries((await api.server.inject('/metrics')).body);
  await db.admin.query(
    `with made as materialized (
       select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as tenant_id, n,
              (lpad(to_hex((extract(epoch from engine.now()) * 1000)::bigint), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid as run_id
       from generate_series(1, $1::int) n
     ),
     runs as (
       insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, unique_key, attempt, started_at, finished_at, error_code, error_text)
       select run_id, tenant_id, 'syncs', 'dead_letter', 'dead', tenant_id::text, jsonb_build_object('connector_id', run_id, 'provider', 'p' || n),
              run_id::text, 1, engine.now(), engine.now(), 'e' || n, 'x' from made
     ),
     flagged as (
       insert into engine.flagged_runs (run_id, tenant_id, pipeline, status, phase, finished_at)
       select run_id, tenant_id, 'syncs', 'dead_letter', 'dead', engine.now() from made
     ),
     queued as (
       insert into engine.ready (pipeline, lane, priority, run_id) select 'syncs', tenant_id::text, 0, run_id from made
     )
     insert into engine.alerts (alert_id, tenant_id, rule, kind, subject, severity, message, value, threshold)
     select gen_random_uuid(), tenant_id, 'own_' || n, 'threshold', 'all', 'ERROR', 'm', 1, 1 from made`,
    [TENANTS],
  );
});

it('10,000 tenants with trouble of their own make no more series than a few hundred', async () => {
  const { statusCode, body } = await api.server.inject('/metrics');
  expect(statusCode).toBe(200);
  const grown = [...countSeries(body)].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
  expect(Object.fromEntries(grown.filter(([, count]) => count > 60))).toEqual({});
  expect(body).toContain('millrace_sync_dead_letters{tenant="other"} 9950');
  expect(body).toContain('millrace_alerts_open{rule="own",severity="ERROR"} 10000');
});

function countSeries(body: string): ReadonlyMap<string, number> {
  const perName = new Map<string, number>();
  for (const line of body.split('\n')) {
    const name = /^(millrace_\w+)\{/.exec(line)?.[1];
    if (name !== undefined) perName.set(name, (perName.get(name) ?? 0) + 1);
  }
  return perName;
}
