-- A schedule that cannot fire holds up no other: it is set aside with its reason (a cron expression or time zone that is none), or tried
-- again later (its pipeline's gate failed, a lock was not given up in time).
alter table engine.schedules
  -- Set once by the scheduler; saving the schedule again clears it. A schedule that is set aside never fires.
  add column set_aside_at timestamptz,
  -- Failed tries of the present moment, and when the next one may begin.
  add column tries integer not null default 0,
  add column not_before timestamptz,
  -- Why the last try did not fire; null when it did.
  add column trouble_code text,
  add column trouble_text text,
  add column trouble_at timestamptz,
  -- Schedules in trouble go behind all others that are due.
  add column due_at timestamptz generated always as (greatest(next_at, not_before)) stored,
  add constraint schedules_trouble_has_time check ((trouble_code is null) = (trouble_at is null)),
  add constraint schedules_set_aside_says_why check (set_aside_at is null or trouble_code is not null);

drop index engine.schedules_due;
create index schedules_due on engine.schedules (due_at) where enabled and set_aside_at is null;

-- The owner may write defaults only while the policies are not forced on it.
alter table engine.alert_rules no force row level security;
insert into engine.alert_rules (rule_id, name, description, kind, metric, comparison, threshold, severity)
values (gen_random_uuid(), 'schedule_trouble', 'Schedules are set aside, fail, or are overdue and nobody fires them.',
        'threshold', 'troubled_schedules', '>', 0, 'WARNING');
alter table engine.alert_rules force row level security;
