// How rows of the engine's tables, of outbound calls and of access are made. A pipeline says in its own plan test how its tables are filled.
import { idOf, type Seed, worldOf } from './world.ts';

const isEnded = `plan.phase(i) in ('done', 'failed', 'dead')`;

const run: Readonly<Record<string, string>> = {
  id: 'run',
  pipeline: 'plan.pipeline(i)',
  status: 'plan.status(i)',
  phase: 'plan.phase(i)',
  unique_key: `case when i % 7 > 0 then 'key ' || i end`,
  active_key: `case when not ${isEnded} then 'active ' || i end`,
  lane: 'tenant::text',
  priority: '0',
  input: `jsonb_build_object('title', 'file ' || i, 'rejects_of', case when i % 5 = 0 then plan.run(i - 1) end)`,
  receipt: `case when plan.phase(i) = 'done' then '{"read": 10, "outcomes": {"inserted": 10}}' end`,
  attempt: `1`,
  failures: `'{}'`,
  held_at: `case when plan.kind(i) = 'held' then plan.at(i) end`,
  held_by: `case when plan.kind(i) = 'held' then 'a question' end`,
  wait_reason: `case when plan.kind(i) = 'held' then '{"kind": "question"}' end`,
  blob_id: idOf('blob_id', 'i'),
  source_id: `'upload'`,
  retry_of: `case when i % 16 = 0 then plan.run(i - 1) end`,
  created_by: idOf('user_id', 'i'),
  error_code: `case when plan.phase(i) in ('failed', 'dead') then 'internal' end`,
  created_at: 'plan.at(i)',
  started_at: `case when plan.phase(i) <> 'waiting' then plan.at(i) end`,
  finished_at: `case when ${isEnded} then plan.at(i) + interval '5 seconds' end`,
  updated_at: 'plan.at(i)',
};

/** Runs of the history were made before those of the ledger. */
const past = (i: string) => `overlay(plan.run(${i})::text placing '017' from 1 for 3)::uuid`;

/** Eight leases for each worker. */
const holder = idOf('worker_id', 'i / 1536');

const atWork = worldOf(new Date(0), 0).runIndex('items', 'active');

export const engineSeeds: readonly Seed[] = [
  {
    table: 'public.tenants',
    columns: { tenant_id: idOf('tenant_id', 'i'), is_trial: 'i % 50 = 7', created_at: 'plan.at(i)' },
  },
  {
    table: 'public.users',
    columns: {
      email: `'user' || i || '@example.com'`,
      role: `case when i % 100 = 0 then 'admin' else 'user' end`,
      id: 'i',
    },
  },
  { table: 'engine.runs', columns: run },
  {
    table: 'engine.past_runs',
    columns: { ...run, id: past('i'), phase: `'done'`, retry_of: 'null', held_at: 'null', active_key: 'null' },
  },
  {
    table: 'engine.kept_runs',
    columns: {
      ...run,
      id: `overlay(run::text placing '016' from 1 for 3)::uuid`,
      phase: `'done'`,
      retry_of: 'null',
      held_at: 'null',
      active_key: 'null',
    },
  },
  {
    table: 'engine.past_keys',
    columns: { pipeline: 'plan.pipeline(i)', unique_key: `'past key ' || i`, run_id: past('i') },
  },
  { table: 'engine.past_retries', columns: { retry_of: past('i'), run_id: past('i + 1') } },
  { table: 'engine.past_attempts', columns: { run_id: past('r'), attempt: 'i', part: `''` }, runsOf: 'ads' },
  { table: 'engine.past_events', columns: { run_id: past('r') }, runsOf: 'ads' },
  {
    table: 'engine.attempts',
    columns: {
      attempt: 'i',
      error_kind: `case when i % 8 = 1 then 'rate_limited' end`,
      outcome: `case when i % 8 = 1 then 'retried' else 'complete' end`,
    },
    runsOf: 'ads',
  },
  {
    table: 'engine.flagged_runs',
    columns: {
      pipeline: 'plan.pipeline(i)',
      status: 'plan.status(i)',
      phase: 'plan.phase(i)',
      finished_at: 'plan.at(i)',
      acknowledged_at: 'case when i % 3 = 0 then plan.at(i) end',
    },
    where: `plan.phase(i) in ('failed', 'dead')`,
  },
  {
    table: 'engine.ready',
    columns: { pipeline: 'plan.pipeline(i)', lane: 'tenant::text', priority: '0', queued_at: 'plan.at(i)' },
    where: `plan.kind(i) = 'ready'`,
  },
  {
    table: 'engine.scheduled',
    columns: {
      pipeline: 'plan.pipeline(i)',
      lane: 'tenant::text',
      priority: '0',
      available_at: `case when (i / 192) % 2 = 0 then plan.at(i) else plan.at(i) + interval '90 days' end`,
    },
    where: `plan.kind(i) = 'scheduled'`,
  },
  {
    table: 'engine.leases',
    columns: {
      attempt: '1',
      worker_id: holder,
      pipeline: 'plan.pipeline(i)',
      lane: 'tenant::text',
      stage: `'work'`,
      capped: 'i % 2 = 0',
      claimed_at: 'plan.at(i)',
    },
    where: `plan.kind(i) = 'active'`,
  },
  {
    table: 'engine.workers',
    columns: {
      pipelines: `'{ads,judgments}'`,
      protocol: '3',
      expires_at: `case when i % 64 = 0 then plan.at(i) + interval '90 days' else plan.at(i) end`,
      ended_at: 'case when i % 64 > 1 then plan.at(i) end',
      end_reason: `case when i % 64 > 1 then 'stopped' end`,
    },
  },
  {
    table: 'engine.parts',
    columns: {
      // Parts are of runs at work.
      run_id: `plan.run(case when i <= 40 then r when i % 2 = 0 then ${atWork} else i end)`,
      part: 'i::text',
      pipeline: `'items'`,
      lane: 'tenant::text',
      priority: '0',
      state: `(array['open', 'taken', 'ended'])[i % 3 + 1]`,
    },
    runsOf: 'items',
  },
  {
    table: 'engine.checkpoints',
    columns: { stage: `'work'`, part: 'i::text', attempt: '1', state: `'{}'` },
    runsOf: 'ads',
  },
  { table: 'engine.progress', columns: { part: 'i::text', stage: `'work'`, attempt: '1' }, runsOf: 'ads' },
  { table: 'engine.progress_samples', columns: { sampled_at: 'plan.at(i)' }, runsOf: 'ads' },
  { table: 'engine.decisions', columns: { decided_at: 'plan.at(i)' }, runsOf: 'ads' },
  {
    table: 'engine.row_outcomes',
    columns: { outcome: `'rejected'`, rows: `format('{[%s,%s)}', i, i + 1)` },
    runsOf: 'ads',
  },
  {
    table: 'engine.events',
    columns: {
      run_id: 'case when i % 10 < 9 then run end',
      type: `'run.done'`,
      key: 'i::text',
      created_at: 'plan.at(i)',
    },
    runsOf: 'ads',
  },
  { table: 'engine.event_positions', columns: { position: 'i', event_id: 'i' }, where: 'i % 10 > 0' },
  { table: 'engine.event_inbox', columns: { event_id: 'i' }, where: 'i % 10 = 0' },
  {
    table: 'engine.rejects',
    columns: {
      line: 'i',
      code: `'bad_date'`,
      cause: `'cause ' || i % 5`,
      status: `(array['open', 'corrected', 'replayed', 'resolved'])[i % 4 + 1]`,
      replayed_as: `case when i % 4 = 2 then plan.run(i) end`,
      correction: `case when i % 4 > 0 then '{"cells": {}}' end`,
      created_at: 'plan.at(i)',
    },
    runsOf: 'ads',
  },
  {
    table: 'engine.blobs',
    columns: {
      created_at: 'plan.at(i)',
      keep_until: `plan.at(i) + case when i % 2 = 0 then interval '1 day' else interval '90 days' end`,
      deleted_at: 'case when i % 20 = 0 then plan.at(i) end',
    },
  },
  {
    table: 'engine.questions',
    columns: {
      number: 'i',
      expires_at: "plan.at(i) + case when i % 2 = 0 then interval '1 day' else interval '90 days' end",
      closed_at: 'case when i % 3 > 0 then plan.at(i) end',
      answer: `case when i % 3 > 0 then 'yes' end`,
      choices: `'[]'`,
    },
  },
  {
    table: 'engine.rate_limits',
    columns: {
      key: `'limit ' || i`,
      refilled_at: 'plan.at(i)',
      capacity: '10',
      tokens: 'i % 10',
      refill_per_second: '1',
    },
  },
  {
    table: 'engine.schedules',
    columns: {
      name: `'schedule ' || i`,
      pipeline: 'plan.pipeline(i)',
      next_at: `plan.at(i) + case when i % 2 = 0 then interval '0' else interval '90 days' end`,
      input: `jsonb_build_object('connector_id', ${idOf('connector_id', 'i')})`,
      trouble_code: `case when i % 11 = 0 then 'internal' end`,
    },
  },
  {
    table: 'engine.pauses',
    columns: { pipeline: 'plan.pipeline(i)', lane: `${idOf('tenant_id', 'i')}::text` },
    where: 'i % 16 = 15',
  },
  {
    table: 'engine.webhook_endpoints',
    columns: {
      tenant_id: `case when i < 20 then ${idOf('tenant_id', '0')} else ${idOf('tenant_id', 'i')} end`,
      event_types: `'{run.done}'`,
      disabled_at: 'case when i % 5 = 4 then plan.at(i) end',
      created_at: 'plan.at(i)',
    },
  },
  {
    table: 'engine.deliveries',
    columns: {
      endpoint_id: idOf('endpoint_id', 'case when i % 2 = 0 then 0 else i end'),
      event_id: 'i',
      event_type: `'run.done'`,
      status: `(array['waiting', 'delivered', 'delivered', 'failed'])[(i / 2) % 4 + 1]`,
      next_at: `case when (i / 2) % 4 = 0 then plan.at(i) end`,
      lease_until: 'null',
      created_at: 'plan.at(i)',
      run_id: 'run',
    },
  },
  { table: 'engine.delivery_tries', columns: { delivery_id: idOf('delivery_id', 'i / 5'), attempt: 'i % 5 + 1' } },
  {
    table: 'engine.alerts',
    columns: {
      rule: `'rule ' || i % 20`,
      kind: `case when i % 2 = 0 then 'event' else 'threshold' end`,
      subject: `'subject ' || i`,
      severity: `'ERROR'`,
      run_id: 'run',
      resolved_at: 'case when (i / 4) % 50 > 0 then plan.at(i) end',
      acknowledged_at: 'case when i % 3 = 0 then plan.at(i) end',
      opened_at: 'plan.at(i)',
    },
  },
  {
    table: 'engine.alert_sinks',
    columns: {
      tenant_id: `case when i < 10 then ${idOf('tenant_id', '0')} when i < 13 then null else ${idOf('tenant_id', 'i')} end`,
      kind: `case when i % 4 = 0 then 'pagerduty' else 'slack' end`,
    },
  },
  {
    table: 'engine.alert_sends',
    columns: {
      sink_id: idOf('sink_id', 'case when i % 2 = 0 then 0 else i end'),
      what: `'open'`,
      status: `(array['sent', 'sent', 'sent', 'failed', 'waiting'])[(i / 2) % 5 + 1]`,
      sent_at: `case when (i / 2) % 5 < 3 then plan.at(i) end`,
      next_at: 'plan.at(i)',
      created_at: 'plan.at(i)',
      alert_id: idOf('alert_id', 'i'),
    },
  },
  {
    table: 'engine.alert_rules',
    columns: {
      name: `'rule ' || i`,
      tenant_id: `case when i < 20 then null when i < 60 then ${idOf('tenant_id', '0')} else ${idOf('tenant_id', 'i')} end`,
      kind: `case when i % 2 = 0 then 'event' else 'threshold' end`,
      event: `'run_failed'`,
      severity: `'ERROR'`,
    },
  },
  { table: 'public.login_attempts', columns: { window_started_at: 'plan.at(i)' } },
  {
    table: 'public.idempotency_keys',
    columns: { operation: `'upload'`, key: `'key ' || i`, created_at: 'plan.at(i)', locked_until: 'plan.at(i)' },
  },
  { table: 'public.memberships', columns: { expires_at: `plan.at(i) + interval '90 days'` } },
  {
    table: 'public.audit_log',
    columns: { tenant_id: 'tenant', at: 'plan.at(i)', action: `'action ' || i % 10`, outcome: `'done'` },
  },
  {
    table: 'tabular.mappings',
    columns: { pipeline: `'ads'`, fingerprint: 'md5((i / 4)::text)', version: 'i % 4 + 1', name: `'a mapping'` },
  },
];
