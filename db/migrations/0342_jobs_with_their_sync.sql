-- A page of syncs asks for Airbyte's job of each of its rows, by key. Joined, all jobs of the tenant were read and hashed for a page of 20.
create or replace view public.ingestion_jobs with (security_invoker = true) as
select r.id as job_id, r.tenant_id, r.input ->> 'connector_id' as connector_id, r.input ->> 'external_account_id' as external_account_id, r.status,
       least(coalesce((r.failures ->> 'transient:sync')::integer, 0), 5) as retry_count, j.airbyte_job_id as run_id, r.correlation_id,
       r.error_text as error_message, r.error_code,
       case when r.status = 'failed' then (r.wait_reason ->> 'until')::timestamptz end as next_retry_at,
       r.created_at, r.started_at, r.finished_at as completed_at
from engine.all_runs r
left join lateral (select s.airbyte_job_id from public.sync_jobs s where s.job_id = r.id limit 1) j on true
where r.pipeline = 'syncs';
