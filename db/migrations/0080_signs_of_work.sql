-- Whether work moves on, told by each worker with its heartbeat: when it last wrote an end, and what waits to be written.
alter table engine.workers
  -- When an attempt of this worker last moved its run on (a release or retry does not).
  add column last_end_at timestamptz,
  -- Ends of attempts that this worker has not written yet, and since when the oldest of them waits.
  add column ends_waiting integer not null default 0,
  add column oldest_end_at timestamptz;

-- The owner may write defaults only while the policies are not forced on it.
alter table engine.alert_rules no force row level security;
insert into engine.alert_rules (rule_id, name, description, kind, metric, comparison, threshold, severity) values
  (gen_random_uuid(), 'no_run_ends', 'There is work, and no run has ended or moved for 15 minutes.', 'threshold', 'no_end_s', '>', 900, 'CRITICAL'),
  (gen_random_uuid(), 'ends_waiting', 'Ends of runs wait for minutes to be written down.', 'threshold', 'oldest_end_s', '>', 120, 'ERROR'),
  (gen_random_uuid(), 'ownerless_runs', 'Runs are held by no living worker, and nobody takes them over.', 'threshold', 'ownerless_runs', '>', 0, 'ERROR');
alter table engine.alert_rules force row level security;
