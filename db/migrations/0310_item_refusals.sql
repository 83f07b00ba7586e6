-- How often the other side has asked an item to wait (429) since a person last reprocessed it. It costs no attempt, but it is counted, so that an item
-- that is always refused ends some day and its job with it (MAX_ATTEMPTS_RATE_LIMITED).
alter table public.job_items add column refusals integer not null default 0;
grant update (refusals) on public.job_items to millrace_app;
