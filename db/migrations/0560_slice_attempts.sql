-- Most items of a quick slice are found at their first attempt, and all there is to say of these attempts is the same for the whole slice: run, worker, strategy, begin and
-- end. A row for each cost as much as the item's own change. They are recorded here together, a row per slice and strategy; everything else (other outcomes, answers of
-- the other side, later attempts) stays a row of item_attempts. all_item_attempts shows both in one shape
-- (docs/decisions/0560-what-a-quick-item-pays-for.md).
create table public.item_slice_attempts (
  tenant_id uuid not null,
  job_id uuid not null,
  -- Of the items: the first row, and the one behind the last. Other records may have rows between them, but no item twice: each has one first attempt.
  from_row integer not null,
  to_row integer not null,
  run_id uuid not null,
  worker text not null,
  strategy text not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  item_ids bigint[] not null,
  -- Of each item, in the same order.
  request_ms integer[] not null,
  primary key (job_id, from_row),
  constraint item_slice_attempts_range check (from_row < to_row),
  constraint item_slice_attempts_lengths check (cardinality(item_ids) = cardinality(request_ms))
);

alter table public.item_slice_attempts enable row level security;
alter table public.item_slice_attempts force row level security;
create policy tenant_only on public.item_slice_attempts to millrace_app, items_worker
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid))
  with check (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));
create policy expired_any_tenant on public.item_slice_attempts to items_cleanup using (true);
grant select, insert on public.item_slice_attempts to items_worker;
grant select, delete on public.item_slice_attempts to millrace_app;
grant select (job_id, from_row), delete on public.item_slice_attempts to items_cleanup;

create view public.all_item_attempts with (security_invoker = true) as
  select tenant_id, job_id, item_id, claim, run_id, attempt, worker, strategy, outcome, is_final, error_code, detail, answer, request_ms, next_attempt_at,
         started_at, ended_at
  from public.item_attempts
  union all
  select s.tenant_id, s.job_id, g.item_id, 1, s.run_id, 1, s.worker, s.strategy, 'FOUND', true, null, null, null, g.request_ms, null, s.started_at, s.ended_at
  from public.item_slice_attempts s cross join lateral unnest(s.item_ids, s.request_ms) as g (item_id, request_ms);
grant select on public.all_item_attempts to items_worker, millrace_app;
