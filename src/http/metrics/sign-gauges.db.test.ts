// Each gauge of progress tells what it is named after: with one of everything that may stand still, no two of them are alike.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useApi } from '../../../test/support/api.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { buildEngine, newTenant } from '../../../test/support/engine.ts';
import type { Engine } from '../../engine/engine.ts';
import { uuidv7 } from '../../platform/ids.ts';

const db = useDatabase();
let engine: Engine & { close(): Promise<void> };
beforeAll(async () => {
  engine = await buildEngine(db.appUrl, []);
});
afterAll(() => engine.close());
const api = useApi(db, () => ({ engine }));

/** A worker that has three ends to write, the oldest for two minutes; a run whose worker nobody knows; seven events, of which a consumer has read two. */
beforeAll(async () => {
  const [tenantId, runId] = [newTenant(), uuidv7()];
  await db.admin.query(`
    truncate engine.runs, engine.leases, engine.ready, engine.workers, engine.consumers, engine.event_inbox, engine.event_positions cascade;
    insert into engine.workers (worker_id, name, pid, host, version, pipelines, concurrency, expires_at, ends_waiting, oldest_end_at)
    values (gen_random_uuid(), 'w', 1, 'h', 'test', '{p}', 1, engine.now() + interval '1 hour', 3, engine.now() - interval '2 minutes')`);
  await db.admin.query(
    `insert into engine.leases (run_id, attempt, worker_id, tenant_id, pipeline, lane, stage, capped, queued_at, claimed_at)
     values ($1, 1, gen_random_uuid(), $2, 'p', 'x', 'work', false, engine.now(), engine.now() - interval '20 minutes')`,
    [runId, tenantId],
  );
  await db.admin.query(
    `with told as (
       insert into engine.events (tenant_id, type, key, data, created_at)
       select $1, 'test', n::text, '{}', engine.now() - n * interval '10 minutes' from generate_series(7, 1, -1) n returning event_id
     ),
     waiting as (insert into engine.event_inbox select event_id from told order by event_id desc limit 1)
     insert into engine.event_positions (event_id) select event_id from told order by event_id limit 6`,
    [tenantId],
  );
  await db.admin.query(
    `insert into engine.consumers (consumer, position)
     select 'late', position from engine.event_positions order by position offset 1 limit 1`,
  );
  engine.vitals.takenOver(5);
  const end = { run: {}, end: { event: 'complete' } };
  engine.vitals.endAdded(end);
  // From the first scrape on, claims are counted.
  await api.server.inject('/metrics');
  engine.vitals.claimed(0.02);
});

it('each gauge says what stands, for how long and how much of it', async () => {
  const { body } = await api.server.inject('/metrics');
  const value = (name: string) =>
    Number(
      body
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    );
  const minutes = (name: string) => Math.round(value(name) / 60);
  expect({
    noEnd: minutes('millrace_no_end_seconds'),
    ownerless: value('millrace_ownerless_leases'),
    endsOfAll: value('millrace_ends_waiting_all'),
    oldestEnd: minutes('millrace_oldest_end_seconds'),
    ownEnds: value('millrace_ends_waiting'),
    outbox: value('millrace_outbox_events'),
    outboxOldest: minutes('millrace_outbox_oldest_seconds'),
    behind: value('millrace_consumer_lag_events{consumer="late"}'),
    behindFor: minutes('millrace_consumer_lag_seconds{consumer="late"}'),
    takeovers: value('millrace_takeovers_total'),
  }).toEqual({
    ...{ noEnd: 20, ownerless: 1, endsOfAll: 3, oldestEnd: 2, ownEnds: 1, outbox: 1, outboxOldest: 10 },
    ...{ behind: 4, behindFor: 50, takeovers: 5 },
  });
  expect(value('millrace_claim_seconds_bucket{le="0.025"}')).toBeGreaterThan(0);
});

it('the age of the oldest snapshot and dead rows grow while a reader keeps them', async () => {
  const reader = await db.admin.connect();
  try {
    await reader.query('begin isolation level repeatable read; select 1');
    for (let n = 0; n < 30; n += 1)
      await db.admin.query(`insert into engine.pauses values ('p', ${n}, now(), 'somebody')`);
    const { body } = await api.server.inject('/metrics');
    expect(Number(/^millrace_xmin_age_transactions (\d+)/m.exec(body)?.[1])).toBeGreaterThanOrEqual(30);
    for (const table of ['ready', 'leases', 'runs', 'event_inbox'])
      for (const kind of ['live', 'dead']) expect(body).toContain(`millrace_table_${kind}_rows{table="${table}"}`);
  } finally {
    reader.release(true);
  }
});
