-- Parts of one run report progress of their own; readers add it up. Views that name runs show each once, however many leases it has.
alter table engine.progress add column part text not null default '';
alter table engine.progress drop constraint progress_pkey;
alter table engine.progress add primary key (run_id, part);

-- Why an open part waits until available_at: the whole run says so when nobody is left at work.
alter table engine.parts add column wait_reason jsonb;

-- Runs whose worker has gone silent and that nobody has taken over yet; of several parts the one that was claimed first.
create or replace view engine.stale_runs with (security_invoker = true) as
  select distinct on (l.run_id)
         l.run_id, l.tenant_id, l.pipeline, l.stage, l.attempt, l.claimed_at, w.name as worker, w.expires_at
  from engine.leases l
  join engine.workers w on w.worker_id = l.worker_id
  where w.expires_at < engine.now()
  order by l.run_id, l.claimed_at;

create or replace view ingest.import_runs with (security_invoker = true) as
  select r.id,
         r.unique_key as source_batch_id,
         encode(b.sha256, 'hex') as file_hash,
         r.status::ingest.import_run_status as status,
         (r.receipt ->> 'read')::bigint as record_count,
         r.error_code as error_type,
         case when r.phase <> 'waiting'
              then coalesce((select min(l.claimed_at) from engine.leases l where l.run_id = r.id), a.started_at, r.started_at) end as started_at,
         r.finished_at as completed_at,
         r.created_at
  from engine.all_runs r
  left join engine.blobs b on b.blob_id = r.blob_id
  left join engine.all_attempts a on a.run_id = r.id and a.attempt = r.attempt
  where r.pipeline = 'judgments';

create or replace view ingest.v_stale_runs with (security_invoker = true) as
  select i.id, i.source_batch_id, i.status, i.started_at,
         extract(epoch from engine.now() - i.started_at) / 3600 as hours_stale,
         i.file_hash
  from (
    select distinct l.run_id
    from engine.leases l
    join engine.workers w on w.worker_id = l.worker_id
    where w.expires_at < engine.now()
  ) l
  join ingest.import_runs i on i.id = l.run_id
  where i.status = 'processing'
    and i.started_at < engine.now() - ingest.processing_timeout()
  order by i.started_at asc;
