-- One definition of a dead letter: a run that is not tried again by itself and that nobody has dealt with. Lists, counts, alerts, the doctor
-- and the specifications' views all read engine.dead_letters, so that they agree.

-- Which pipelines' failed runs wait for a person as dead ones do. Each pipeline declares it (definePipeline) and registers it with its machine.
alter table engine.pipelines add column failed_are_dead_letters boolean not null default false;
update engine.pipelines set failed_are_dead_letters = true where pipeline = 'judgments';

-- A person has seen it and nothing more is to be done. The run itself is not touched: ended runs do not change.
alter table engine.flagged_runs
  add column acknowledged_at timestamptz,
  add column acknowledged_by text,
  add column acknowledged_for text,
  add constraint flagged_runs_acknowledged_by_somebody
    check ((acknowledged_at is null) = (acknowledged_by is null) and (acknowledged_at is null) = (acknowledged_for is null));
comment on column engine.flagged_runs.acknowledged_for is 'The reason or the ticket, as in the audit log.';

-- "june" → "june#r2" → "june#r3": the key of a retry, and of a batch that supersedes another (src/engine/actions.ts, nextRevision).
create function engine.next_revision(key text) returns text
  language sql immutable parallel safe
  as $$
    select case when key ~ '#r[0-9]+$'
      then regexp_replace(key, '[0-9]+$', '') || (substring(key from '[0-9]+$')::numeric + 1)
      else key || '#r2' end
  $$;

-- It leaves when it is acknowledged, retried, requeued, or superseded by the next revision of its key.
create or replace view engine.dead_letters with (security_invoker = true) as
select f.run_id as id, f.tenant_id, f.pipeline, f.status, f.phase, r.attempt, r.error_code, r.error_text, r.correlation_id, r.created_at,
       f.finished_at, r.unique_key
from (
  select tenant_id, run_id, pipeline, status, phase, finished_at
  from engine.flagged_runs
  where phase = 'dead' and acknowledged_at is null
  union all
  select w.tenant_id, w.run_id, w.pipeline, w.status, w.phase, w.finished_at
  from engine.pipelines p
  join engine.flagged_runs w on w.pipeline = p.pipeline and w.phase = 'failed' and w.acknowledged_at is null
  where p.failed_are_dead_letters
) f
cross join lateral (select * from engine.all_runs x where x.id = f.run_id limit 1) r
where r.requeued_as is null
  -- Look-ups by key for each letter, never a join with all retries and keys there ever were.
  and (select true from engine.all_retries n where n.retry_of = f.run_id limit 1) is null
  and (r.unique_key is null or (
    select true from engine.all_keys k
    where k.tenant_id = f.tenant_id and k.pipeline = f.pipeline and k.unique_key = engine.next_revision(r.unique_key) limit 1) is null);
comment on view engine.dead_letters is
  'Runs that wait for a person: dead, or failed where the pipeline says so; not retried, requeued, superseded or acknowledged.';

create or replace view ingest.dead_letters with (security_invoker = true) as
select d.id, d.tenant_id, d.unique_key as source_batch_id, d.error_code as error_type, d.finished_at as failed_at
from engine.dead_letters d
where d.pipeline = 'judgments';
