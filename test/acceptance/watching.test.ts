// What watches an installation goes in where the operator's tools do: /health and /metrics of every process, also of those without the API.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, makeHome, millrace, startStatusProcess } from './millrace-process.ts';

let database: InstallationDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  await cleanUp();
  await database.drop();
});

const env = () => ({ ...database.env, MILLRACE_HOME: makeHome() });
const read = async (url: string) => (await fetch(url)).text();

it('two workers and a scheduler on one machine each serve their own health and metrics', async () => {
  const [one, two, scheduler] = await Promise.all([
    startStatusProcess('worker', env()),
    startStatusProcess('worker', env()),
    startStatusProcess('scheduler', env()),
  ]);
  expect(new Set([one.url, two.url, scheduler.url]).size).toBe(3);
  for (const { url } of [one, two, scheduler]) {
    const metrics = await read(url);
    for (const name of [
      'millrace_no_end_seconds 0',
      'millrace_ownerless_leases 0',
      'millrace_ends_waiting 0',
      'millrace_oldest_end_seconds 0',
      'millrace_outbox_events 0',
      'millrace_consumer_lag_events{consumer="',
      'millrace_takeovers_total 0',
      'millrace_claim_seconds_count',
      'millrace_xmin_age_transactions',
      'millrace_table_dead_rows{table="ready"}',
      'millrace_process_resident_memory_bytes',
    ])
      expect(metrics, url).toContain(name);
  }
  const health = await fetch(scheduler.url.replace('/metrics', '/health'));
  expect(health.status).toBe(200);
  expect(await health.json()).toMatchObject({ status: 'ok', role: 'scheduler' });
  expect((await fetch(one.url.replace('/metrics', '/v1/runs'))).status).toBe(404);
  expect(await read(one.url)).toMatch(/millrace_claim_seconds_count [1-9]/);
  for (const each of [one, two, scheduler]) expect((await each.end()).code).toBe(0);
});

it('a port that was asked for is taken or refused by name; "off" serves nothing', async () => {
  const one = await startStatusProcess('worker', { ...env(), METRICS_PORT: '0' });
  const port = new URL(one.url).port;
  const refused = await millrace(['worker'], { ...env(), METRICS_PORT: port });
  expect(refused.code).toBe(78);
  expect(refused.stderr).toContain(`Port ${port} on 127.0.0.1`);
  expect((await millrace(['scheduler', '--help'], { METRICS_PORT: 'off' })).code).toBe(0);
  const wrong = await millrace(['worker'], { ...env(), METRICS_PORT: 'any' });
  expect(wrong.code).toBe(78);
  expect(wrong.stderr).toContain('METRICS_PORT must be a whole number from 0 to 65535, or off');
  await one.end();
});

it('a token is asked for once it is set', async () => {
  const one = await startStatusProcess('worker', { ...env(), METRICS_TOKEN: 'a-token-of-sixteen-or-more' });
  expect((await fetch(one.url)).status).toBe(401);
  const answer = await fetch(one.url, { headers: { authorization: 'Bearer a-token-of-sixteen-or-more' } });
  expect(answer.status).toBe(200);
  await one.end();
});
