// Alerts from fact to message: opened once, sent to every sink, repeated only when asked to, and said to be over.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildSink, evaluate, judgeEvents, sendAll } from '../../../test/support/alerts.ts';
import { tamper, useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { type JudgmentsBench, judgmentsFile, openJudgmentsBench } from '../../../test/support/judgments.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { answers, type Receiver, startReceiver, testBox } from '../../../test/support/webhooks.ts';
import { insertEvents } from '../../engine/sql/insert-events.ts';
import { findOpenQuestion } from '../../engine/sql/questions.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { saveConfiguredSinks } from './configured-sinks.ts';

const db = useDatabase();
let bench: JudgmentsBench;
let receiver: Receiver;
const badRow = ',Zanary Personsson,Zanary Otherson,10,2024-01-01,Kings,zanary@private.test,555-010-7777,9 Zanary Way';
const goodRow =
  'A-1,Zanary Personsson,Zanary Otherson,10,2024-01-01,Kings,zanary@private.test,555-010-7777,9 Zanary Way';

beforeAll(async () => {
  bench = await openJudgmentsBench(db.appUrl);
  await bench.engine.start();
  receiver = await startReceiver();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.accepted.length = 0;
  receiver.answer = answers.ok;
});
afterAll(async () => {
  await bench.close();
  await receiver.close();
});

/** What a tenant's sinks were told. */
const bodies = (tenantId: string, kind = '') =>
  receiver.received
    .filter(({ path }) => path.startsWith(`/${tenantId}/${kind}`))
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>);

/** As if the tenant's alerts were older by that much. */
const age = (tenantId: string, interval: string) =>
  db.admin.query(
    `update engine.alerts
     set opened_at = opened_at - $2::interval, reminded_at = reminded_at - $2::interval, clear_since = clear_since - $2::interval,
         expires_at = expires_at - $2::interval
     where tenant_id = $1`,
    [tenantId, interval],
  );

async function alertsOf(tenantId: string) {
  const { rows } = await db.admin.query<{
    rule: string;
    message: string;
    resolution: string | null;
    occurrences: number;
  }>(`select rule, message, resolution, occurrences from engine.alerts where tenant_id = $1 order by alert_id`, [
    tenantId,
  ]);
  return rows;
}

async function failBatch(tenantId: string, batch: string): Promise<string> {
  const run = await bench.ingest(tenantId, judgmentsFile(badRow), { source_batch_id: batch });
  await judgeEvents(db);
  return run.id;
}

async function fillBacklog(tenantId: string, count: number): Promise<void> {
  await db.admin.query(
    `insert into engine.scheduled (run_id, pipeline, lane, priority, available_at)
     select gen_random_uuid(), 'judgments', $1::text, 0, engine.now() + interval '1 day' from generate_series(1, $2)`,
    [tenantId, count],
  );
}
const emptyBacklog = (tenantId: string) =>
  db.admin.query(`delete from engine.scheduled where lane = $1::text`, [tenantId]);

describe('a run that asks', () => {
  const doubtful = `${judgmentsFile(goodRow, goodRow.replace('A-1', 'A-2'), goodRow.replace('A-1', 'A-3'))}
Case Number,Plaintiff,Judgment Amount\nZ-1,Zoe,1\nZ-2,Zed,2\nZ-3,Zac,3\n`;

  it('is told when its file came from a folder, where nobody looks at it, until the run has ended', async () => {
    const tenantId = newTenant();
    const ask = async () => {
      const runId = await bench.submit(tenantId, doubtful);
      const question = await waitFor(() => findOpenQuestion(bench.engine.pools.control, tenantId, runId));
      return { runId, questionId: question.question_id };
    };
    const [dropped] = [await ask(), await ask()];
    await db.admin.query(`update engine.runs set source_id = 'folder:/in' where id = $1`, [dropped.runId]);
    await judgeEvents(db);
    expect(await alertsOf(tenantId)).toMatchObject([
      { rule: 'question_asked', message: expect.stringContaining('waits for an answer'), resolution: null },
    ]);
    await bench.engine.answer({ tenantId, by: 'tester' }, dropped.questionId, 'as_decided');
    await bench.ended(tenantId, dropped.runId);
    await judgeEvents(db);
    expect(await alertsOf(tenantId)).toMatchObject([{ rule: 'question_asked', resolution: 'run_ended' }]);
  });
});

describe('a failed job', () => {
  it('is told to every kind of sink in the specification’s words, with a link to the run', async () => {
    const tenantId = newTenant();
    for (const kind of ['discord', 'slack', 'pagerduty', 'webhook'] as const)
      await buildSink(db, tenantId, kind, receiver.url);
    const runId = await failBatch(tenantId, 'doomed-1');
    await sendAll(db);
    const message = '[INGEST FAILURE] doomed-1: nothing_imported';
    const link = `https://millrace.example/r/${runId}`;
    expect(bodies(tenantId, 'discord')).toMatchObject([
      { content: message, embeds: [{ url: link }], allowed_mentions: { parse: [] } },
    ]);
    expect(bodies(tenantId, 'slack')).toMatchObject([{ text: message }]);
    expect(JSON.stringify(bodies(tenantId, 'slack'))).toContain(`<${link}|Open the run>`);
    expect(bodies(tenantId, 'pagerduty')).toMatchObject([
      {
        routing_key: 'R0UT1NGKEY',
        event_action: 'trigger',
        payload: { summary: message, severity: 'error', source: 'millrace' },
        links: [{ href: link }],
      },
    ]);
    expect(bodies(tenantId, 'webhook')).toMatchObject([
      { type: 'alert.opened', severity: 'ERROR', message, link, run_id: runId, tenant_id: tenantId },
    ]);
  });

  it('is over when its retry succeeds: PagerDuty resolves under the same key, the chats say so', async () => {
    const tenantId = newTenant();
    for (const kind of ['discord', 'pagerduty'] as const) await buildSink(db, tenantId, kind, receiver.url);
    const failed = await failBatch(tenantId, 'fixed');
    await sendAll(db);
    // The retry of the retry succeeds: both failures are over.
    const [first, second] = [uuidv7(), uuidv7()];
    await db.admin.query(
      `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, retry_of, error_code, receipt, finished_at)
       values ($1, $3::uuid, 'judgments', 'failed', 'failed', $3::uuid::text, '{}', $4, 'nothing_imported', null, engine.now()),
              ($2, $3::uuid, 'judgments', 'completed', 'done', $3::uuid::text, '{}', $1, null, '{"read": 0}', engine.now())`,
      [first, second, tenantId, failed],
    );
    await insertEvents(db.engine, [
      { tenantId, runId: second, type: 'run.done', key: '', data: '{"pipeline": "judgments"}' },
    ]);
    await judgeEvents(db);
    await sendAll(db);
    expect(await alertsOf(tenantId)).toMatchObject([{ rule: 'ingest_failure', resolution: 'retried' }]);
    const [trigger, resolve] = bodies(tenantId, 'pagerduty');
    expect(resolve).toEqual({ routing_key: 'R0UT1NGKEY', event_action: 'resolve', dedup_key: trigger?.dedup_key });
    expect(bodies(tenantId, 'discord').map(({ content }) => content)).toEqual([
      '[INGEST FAILURE] fixed: nothing_imported',
      '[RESOLVED] [INGEST FAILURE] fixed: nothing_imported',
    ]);
  });

  it('that a person cancelled is no alert', async () => {
    const tenantId = newTenant();
    const { id } = await bench.engine.enqueue({
      pipeline: 'judgments',
      tenantId,
      uniqueKey: 'cancelled',
      input: { source_batch_id: 'cancelled', filename: 'x.csv', file_hash: '00' },
      availableAt: new Date(Date.now() + 3_600_000),
    });
    await bench.engine.cancel({ tenantId, by: 'ada' }, id);
    await judgeEvents(db);
    expect(await alertsOf(tenantId)).toEqual([]);
  });
});

describe('a takeover', () => {
  const takeOver = async (tenantId: string, runId: string, attempt: number) => {
    await db.admin.query(
      `insert into engine.attempts (run_id, attempt, tenant_id, stage, worker_id, outcome, queued_at, started_at, ended_at)
       values ($1, $2, $3, 'import', gen_random_uuid(), 'lost', engine.now(), engine.now() - interval '90 minutes', engine.now())`,
      [runId, attempt, tenantId],
    );
    const data = JSON.stringify({ pipeline: 'judgments', attempt });
    await insertEvents(db.engine, [{ tenantId, runId, type: 'run.taken_over', key: String(attempt), data }]);
    await judgeEvents(db);
  };

  it('is told every time, and over when the run has ended', async () => {
    const tenantId = newTenant();
    await buildSink(db, tenantId, 'discord', receiver.url);
    const { id: runId } = await bench.engine.enqueue({
      pipeline: 'judgments',
      tenantId,
      uniqueKey: 'abandoned',
      input: { source_batch_id: 'abandoned', filename: 'x.csv', file_hash: '00' },
      availableAt: new Date(Date.now() + 3_600_000),
    });
    await takeOver(tenantId, runId, 1);
    await takeOver(tenantId, runId, 2);
    await sendAll(db);
    const message = '[STALE TAKEOVER] abandoned abandoned for 1.5h';
    expect(bodies(tenantId).map(({ content }) => content)).toEqual([message, message]);
    await insertEvents(db.engine, [{ tenantId, runId, type: 'run.done', key: '', data: '{"pipeline": "judgments"}' }]);
    await judgeEvents(db);
    expect((await alertsOf(tenantId)).map(({ resolution }) => resolution)).toEqual(['run_ended', 'run_ended']);
  });
});

describe('a threshold', () => {
  it('is told once however often it is looked at, and resolved when the figure is back', async () => {
    const tenantId = newTenant();
    await buildSink(db, tenantId, 'pagerduty', receiver.url);
    await fillBacklog(tenantId, 100);
    await evaluate(db);
    expect(await alertsOf(tenantId)).toEqual([]);
    await fillBacklog(tenantId, 1);
    for (let round = 0; round < 3; round++) await evaluate(db);
    await sendAll(db);
    expect(bodies(tenantId)).toMatchObject([
      { event_action: 'trigger', payload: { summary: 'Ingest backlog at 101 pending or processing jobs' } },
    ]);
    await emptyBacklog(tenantId);
    await evaluate(db);
    await sendAll(db);
    expect(await alertsOf(tenantId)).toMatchObject([{ rule: 'backlog', resolution: 'below_threshold' }]);
    expect(bodies(tenantId).map(({ event_action: action }) => action)).toEqual(['trigger', 'resolve']);
  });

  it('that wavers is not resolved before it has settled', async () => {
    const tenantId = newTenant();
    await fillBacklog(tenantId, 101);
    const settling = { settleMs: 60_000 };
    await evaluate(db, settling);
    await emptyBacklog(tenantId);
    await evaluate(db, settling);
    await fillBacklog(tenantId, 101);
    await evaluate(db, settling);
    await age(tenantId, '2 minutes');
    await evaluate(db, settling);
    expect(await alertsOf(tenantId)).toMatchObject([{ rule: 'backlog', resolution: null }]);
    await emptyBacklog(tenantId);
    await evaluate(db, settling);
    expect(await alertsOf(tenantId)).toMatchObject([{ rule: 'backlog', resolution: null }]);
    await age(tenantId, '2 minutes');
    await evaluate(db, settling);
    expect(await alertsOf(tenantId)).toMatchObject([{ resolution: 'below_threshold' }]);
  });

  it('more than five dead letters are told, five are not', async () => {
    const tenantId = newTenant();
    for (let number = 1; number <= 5; number++) await failBatch(tenantId, `letter-${number}`);
    await evaluate(db);
    const depths = async () => (await alertsOf(tenantId)).filter(({ rule }) => rule === 'dead_letter_depth');
    expect(await depths()).toEqual([]);
    await failBatch(tenantId, 'letter-6');
    await evaluate(db);
    expect(await depths()).toMatchObject([{ message: 'Ingest dead-letter queue has 6 messages' }]);
  });

  it('a schedule that is set aside is told without a rule of one’s own', async () => {
    const tenantId = newTenant();
    await db.admin.query(
      `insert into engine.schedules (schedule_id, tenant_id, name, pipeline, cron, next_at, set_aside_at, trouble_code, trouble_at)
       values (gen_random_uuid(), $1, 'bad', 'syncs', 'whenever', engine.now(), engine.now(), 'schedule_invalid', engine.now())`,
      [tenantId],
    );
    await evaluate(db);
    expect(await alertsOf(tenantId)).toMatchObject([
      { rule: 'schedule_trouble', message: 'Syncs has 1 schedules that do not fire' },
    ]);
  });

  it('of one’s own on any metric works like the defaults, and switching the rule off ends its alerts', async () => {
    const tenantId = newTenant();
    await db.admin.query(
      `insert into engine.alert_rules (rule_id, tenant_id, name, kind, metric, comparison, threshold, severity)
       values (gen_random_uuid(), $1, 'no_worker', 'threshold', 'workers_alive', '<', 1000, 'CRITICAL')`,
      [tenantId],
    );
    await evaluate(db);
    expect(await alertsOf(tenantId)).toMatchObject([{ rule: 'no_worker', resolution: null }]);
    await db.admin.query(`update engine.alert_rules set enabled = false where tenant_id = $1`, [tenantId]);
    await evaluate(db);
    expect(await alertsOf(tenantId)).toMatchObject([{ resolution: 'rule_off' }]);
  });

  it('every metric can be read', async () => {
    const tenantId = newTenant();
    const { alertMetrics } = await import('../../contract/api/alert-metrics.ts');
    for (const metric of Object.keys(alertMetrics))
      await db.admin.query(
        `insert into engine.alert_rules (rule_id, tenant_id, name, kind, metric, comparison, threshold, severity, window_minutes)
         values (gen_random_uuid(), $1, $2, 'threshold', $3, '>', 1e9, 'INFO', 60)`,
        [tenantId, `m_${metric}`, metric],
      );
    expect(await evaluate(db)).toBeDefined();
    expect(await alertsOf(tenantId)).toEqual([]);
  });

  it('on throttling, on what was not found and on speed says the share, or the items a second', async () => {
    const tenantId = newTenant();
    const [done, missed] = [uuidv7(), uuidv7()];
    await db.admin.query(
      `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, receipt, error_code, started_at, finished_at)
       values ($1, $3, 'syncs', 'success', 'done', 'x', '{}', '{"read": 100, "outcomes": {"synced": 100}}', null,
               engine.now() - interval '10 s', engine.now()),
              ($2, $3, 'syncs', 'dead_letter', 'dead', 'x', '{}', null, 'connector_not_found', engine.now(), engine.now())`,
      [done, missed, tenantId],
    );
    await db.admin.query(
      `insert into engine.attempts (run_id, attempt, tenant_id, stage, worker_id, outcome, queued_at, started_at, error_kind, error_code)
       select $1, n, $2, 'sync', $1, 'x', engine.now(), engine.now(), kind, code
       from (values (1, 'rate_limited', 'airbyte_rate_limited'), (2, 'rate_limited', 'disk_full'), (3, null, null), (4, 'transient', 'x'))
         a (n, kind, code)`,
      [done, tenantId],
    );
    for (const [metric, threshold] of [
      ['throttled_percent', 20],
      ['not_found_percent', 20],
      ['items_per_second', 5],
    ] as const)
      await db.admin.query(
        `insert into engine.alert_rules (rule_id, tenant_id, name, kind, metric, comparison, threshold, severity, window_minutes)
         values (gen_random_uuid(), $1, $2, 'threshold', $2, '>', $3, 'WARNING', 60)`,
        [tenantId, metric, threshold],
      );
    await evaluate(db);
    const messages = (await alertsOf(tenantId)).map(({ message }) => message).sort();
    expect(messages).toEqual([
      'Syncs did not find what 50% of jobs asked for over the last 1h',
      'Syncs reads 10 items a second (threshold 5)',
      'Syncs was told to wait in 25% of attempts over the last 1h',
    ]);
  });

  it('only one of several processes evaluates in an interval', async () => {
    await evaluate(db);
    const rounds = await Promise.all(Array.from({ length: 5 }, () => evaluate(db, { evaluateMs: 60_000 })));
    expect(rounds.filter((round) => round !== undefined)).toEqual([]);
    const racing = await Promise.all(Array.from({ length: 5 }, () => evaluate(db)));
    expect(racing.filter((round) => round !== undefined).length).toBeGreaterThanOrEqual(1);
  });
});

describe('an open alert', () => {
  it('is said again only after the setting, and not once somebody has acknowledged it', async () => {
    const tenantId = newTenant();
    await buildSink(db, tenantId, 'slack', receiver.url);
    await buildSink(db, tenantId, 'pagerduty', receiver.url);
    await failBatch(tenantId, 'reminded');
    const hourly = { remindMs: 3_600_000 };
    await evaluate(db, hourly);
    await sendAll(db);
    expect(bodies(tenantId, 'slack')).toHaveLength(1);
    await age(tenantId, '61 minutes');
    await evaluate(db, hourly);
    await evaluate(db, hourly);
    await sendAll(db);
    expect(bodies(tenantId, 'slack').map(({ text }) => text)).toEqual([
      '[INGEST FAILURE] reminded: nothing_imported',
      '[STILL OPEN] [INGEST FAILURE] reminded: nothing_imported',
    ]);
    await db.admin.query(
      `update engine.alerts set acknowledged_at = engine.now(), acknowledged_by = 'ada' where tenant_id = $1`,
      [tenantId],
    );
    await age(tenantId, '3 hours');
    await evaluate(db, hourly);
    await sendAll(db);
    expect(bodies(tenantId, 'slack')).toHaveLength(2);
    expect(bodies(tenantId, 'pagerduty').map(({ event_action: action }) => action)).toEqual([
      'trigger',
      'trigger',
      'acknowledge',
    ]);
  });

  it('of an event that nothing ends is resolved after its window', async () => {
    const tenantId = newTenant();
    await failBatch(tenantId, 'forgotten');
    await age(tenantId, '8 days');
    await evaluate(db, { remindMs: 0 });
    expect(await alertsOf(tenantId)).toMatchObject([{ rule: 'ingest_failure', resolution: 'expired' }]);
  });
});

describe('sinks', () => {
  it('hear of what is grave enough for them, and of endings only where they want to', async () => {
    const tenantId = newTenant();
    await buildSink(db, tenantId, 'discord', receiver.url, { minSeverity: 'CRITICAL' });
    await buildSink(db, tenantId, 'slack', receiver.url, { sendResolved: false });
    await fillBacklog(tenantId, 101);
    await evaluate(db);
    await emptyBacklog(tenantId);
    await evaluate(db);
    await sendAll(db);
    expect([bodies(tenantId, 'discord').length, bodies(tenantId, 'slack').length]).toEqual([0, 1]);
  });

  it('of the configuration hear of every tenant, and one that is no longer configured hears nothing', async () => {
    const target = { url: `${receiver.url}/operator/discord` };
    await saveConfiguredSinks(db.engine, testBox, { discord: target }, true);
    const [one, two] = [newTenant(), newTenant()];
    await failBatch(one, 'of-one');
    await failBatch(two, 'of-two');
    await sendAll(db);
    expect(bodies('operator').map(({ content }) => content)).toEqual([
      '[INGEST FAILURE] of-one: nothing_imported',
      '[INGEST FAILURE] of-two: nothing_imported',
    ]);
    await saveConfiguredSinks(db.engine, testBox, {}, true);
    await failBatch(newTenant(), 'unheard');
    await sendAll(db);
    expect(bodies('operator')).toHaveLength(2);
  });

  it('keep their address sealed: neither the table nor a dump of it shows it', async () => {
    const { rows } = await db.admin.query<{ text: string }>(
      `select string_agg(to_jsonb(k)::text || encode(k.target, 'escape'), ' ') as text from engine.alert_sinks k`,
    );
    expect(rows[0]?.text).not.toContain('R0UT1NGKEY');
    expect(rows[0]?.text).not.toContain('/discord"');
  });
});

describe('what leaves the installation', () => {
  it('holds no name, address, phone, cell, error text or stack trace, in any sink', async () => {
    const tenantId = newTenant();
    for (const kind of ['discord', 'slack', 'pagerduty', 'webhook'] as const)
      await buildSink(db, tenantId, kind, receiver.url);
    await bench.ingest(tenantId, judgmentsFile(badRow), { source_batch_id: 'zanary@private.test 555-010-7777' });
    await bench.ingest(tenantId, judgmentsFile(goodRow, badRow), { source_batch_id: 'part' });
    await tamper(
      db.admin,
      `update engine.runs set error_text = 'Zanary Personsson at /srv/app.ts:12:3', error_code = 'Zanary Personsson failed'
       where tenant_id = $1 and phase = 'failed'`,
      [tenantId],
    );
    await judgeEvents(db);
    await evaluate(db);
    await sendAll(db);
    expect(bodies(tenantId)).toHaveLength(4);
    const said = receiver.received.map(({ body, headers }) => body + JSON.stringify(headers)).join('\n');
    expect(said).toContain(': internal');
    for (const canary of ['Zanary', 'zanary@private', '010-7777', '0107777', 'app.ts', 'Kings'])
      for (const spelling of [canary, encodeURIComponent(canary), Buffer.from(canary).toString('base64').slice(0, -3)])
        expect(said).not.toContain(spelling);
  });
});
