-- The job model explains itself to whoever queries it (\d+ ingestion_jobs).
comment on view public.ingestion_jobs is
  'One row per sync: queued, running, success, failed (a retry is planned), dead_letter, cancelled. Made of engine.runs and sync_jobs.';
comment on column public.ingestion_jobs.connector_id is 'The connector. One live job each, see ix_ingestion_jobs_active_unique.';
comment on column public.ingestion_jobs.external_account_id is 'The account at the source; its rate limit is shared by all its connectors.';
comment on column public.ingestion_jobs.retry_count is 'Retries used, 0 to 5. A rate limit costs none.';
comment on column public.ingestion_jobs.run_id is 'The job id at Airbyte; null until the trigger was answered or the job adopted.';
comment on column public.ingestion_jobs.correlation_id is 'Of the request, or the ticket id of the requeue.';
comment on column public.ingestion_jobs.error_code is 'See docs/errors.md.';
comment on column public.ingestion_jobs.next_retry_at is 'Only while a retry is planned.';
comment on column public.ingestion_jobs.completed_at is 'Set once, when the job is over.';
comment on index engine.ix_ingestion_jobs_active_unique is
  'One live sync per tenant and connector: queued, running, or failed with a retry planned.';
