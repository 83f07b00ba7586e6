// The doctor's line on alerts: a sink is there, the last message arrived, somebody is looking; else the fix.
import { expect, it } from 'vitest';
import { buildSink, evaluate } from '../../../test/support/alerts.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { noteSinkHealth } from '../../outbound/alerts/sql/sends.ts';
import { checkAlerts } from './check-alerts.ts';

const db = useDatabase();

it('without a sink it warns and names the settings; a trial on one machine is in order without', async () => {
  expect(await checkAlerts(db.engine, false)).toMatchObject({
    state: 'warn',
    fix: expect.stringContaining('DISCORD_WEBHOOK_URL'),
  });
  expect(await checkAlerts(db.engine, true)).toMatchObject({ state: 'ok' });
});

it('a sink whose last message failed is named with the code and the command that tests it', async () => {
  const sinkId = await buildSink(db, newTenant(), 'slack', 'http://127.0.0.1:9');
  expect(await checkAlerts(db.engine, false)).toMatchObject({
    state: 'ok',
    detail: '1 sink, every message has arrived',
  });
  await noteSinkHealth(db.engine, { sinkId, isOk: false, errorCode: 'alert_refused', pauseMs: null });
  expect(await checkAlerts(db.engine, false)).toMatchObject({
    state: 'warn',
    detail: 'the last message did not arrive at slack sink (alert_refused)',
    fix: expect.stringContaining('millrace alerts test'),
  });
  await noteSinkHealth(db.engine, { sinkId, isOk: true, errorCode: null, pauseMs: null });
  expect(await checkAlerts(db.engine, false)).toMatchObject({ state: 'ok' });
});

it('workers that live while no process evaluates the alert rules are a warning', async () => {
  await db.admin.query(
    `insert into engine.workers (worker_id, name, pid, host, version, pipelines, concurrency, expires_at)
     values (gen_random_uuid(), 'w', 1, 'h', 'test', '{}', 1, engine.now() + interval '1 hour')`,
  );
  expect(await checkAlerts(db.engine, false)).toMatchObject({
    state: 'warn',
    detail: expect.stringContaining('evaluated the alert rules'),
  });
  await evaluate(db);
  expect(await checkAlerts(db.engine, false)).toMatchObject({ state: 'ok' });
});
