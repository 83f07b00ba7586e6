-- A retry that a person asks for is a new attempt of the same ingestion run. In the ledger it is a run of its own (what has ended never changes); the
-- specification's table shows the whole line under the id of its first run, with the state of its last. Begun once is begun: started_at stays.
create or replace view public.ingestion_runs with (security_invoker = true) as
  select r.id as run_id,
         r.tenant_id,
         t.status,
         coalesce(r.input ->> 'run_type', 'manual_upload') as run_type,
         case when r.source_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then r.source_id::uuid end as source_id,
         r.created_by as initiated_by,
         jsonb_build_object(
           'source_type', r.input -> 'channel',
           'upload_uri', '/v1/uploads/' || r.id::text || '/original',
           'title', r.input -> 'title',
           'original_filename', r.input -> 'original_filename',
           'content_type', r.input -> 'content_type',
           'file_size_bytes', r.input -> 'file_size_bytes',
           'content_hash', r.input -> 'content_hash',
           'created_by_user_id', r.created_by
         ) as config,
         t.receipt as stats,
         case when t.phase in ('failed', 'dead') then t.error_text end as error,
         r.created_at,
         coalesce(r.started_at, t.started_at) as started_at,
         greatest(t.updated_at, g.updated_at) as updated_at,
         t.finished_at
  from engine.all_runs r
  cross join lateral (
    with recursive line (id, step) as (
      select r.id, 0
      union all
      select x.run_id, step + 1
      from line cross join lateral (select a.run_id from engine.all_retries a where a.retry_of = line.id limit 1) x
    )
    select id from line order by step desc limit 1
  ) last
  cross join lateral (select * from engine.all_runs y where y.id = last.id limit 1) t
  left join engine.progress g on g.run_id = t.id and g.tenant_id = t.tenant_id
  where r.pipeline = 'documents' and r.retry_of is null;

grant select on engine.all_retries, engine.past_retries to documents_api, documents_worker;
create policy documents_tenant_only on engine.past_retries for select to documents_api, documents_worker
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));
