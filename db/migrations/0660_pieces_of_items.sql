-- A row of a file that was never tried cost five entries of indexes, three of them only so that lists of open items have an order. Rows are stored in pieces, and all rows of a
-- piece have one time: a row here per piece gives the same order, and indexes hold what was tried (docs/decisions/0660-fresh-rows-in-two-indexes.md).
--
-- Rows from_row up to, but not including, to_row that are PENDING without a time and were stored at this moment. Of one moment and job there is one piece, and in it the order of
-- the file is the order of the ids.
create table public.item_pieces (
  tenant_id uuid not null,
  job_id uuid not null,
  from_row integer not null,
  to_row integer not null,
  stored_at timestamptz not null,
  primary key (job_id, stored_at, from_row),
  constraint item_pieces_range check (from_row < to_row)
);

alter table public.item_pieces enable row level security;
alter table public.item_pieces force row level security;
create policy tenant_only on public.item_pieces to millrace_app, items_worker
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid))
  with check (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));
create policy expired_any_tenant on public.item_pieces to items_cleanup using (true);
grant select, insert, delete on public.item_pieces to items_worker;
grant select, delete on public.item_pieces to millrace_app;
grant select (job_id), delete on public.item_pieces to items_cleanup;

-- What is stored already: rows of one statement have one time.
insert into public.item_pieces (tenant_id, job_id, from_row, to_row, stored_at)
select tenant_id, job_id, min(row_index), max(row_index) + 1, updated_at
from public.job_items where status = 'PENDING' and next_attempt_at is null and updated_at is not null
group by tenant_id, job_id, updated_at;

create index job_items_of_status on public.job_items (job_id, status, row_index)
  where status in ('DONE', 'ERROR', 'NOT_FOUND', 'SKIPPED') or next_attempt_at is not null;
drop index public.job_items_by_status;
create index job_items_waiting on public.job_items (job_id, updated_at, id)
  where status = 'PROCESSING' or status = 'PENDING' and next_attempt_at is not null;
drop index public.job_items_pending;
create index job_items_waiting_of_user on public.job_items (tenant_id, user_id, updated_at, id)
  where (status = 'PROCESSING' or status = 'PENDING' and next_attempt_at is not null) and updated_at > '-infinity';
drop index public.job_items_open_of_user;

-- Rows older than their time are in no piece: they are due at once.
create or replace function public.backfill_job_items(at_most integer) returns integer
  language sql
  set search_path = pg_catalog, public, pg_temp
  as $$
    with picked as materialized (
      select id from public.job_items
      where job_type is null or updated_at is null
      order by id
      limit at_most
      for update skip locked
    ),
    filled as (
      update public.job_items i
      set user_id = coalesce(i.user_id, j.user_id),
          job_type = coalesce(i.job_type, j.job_type),
          next_attempt_at = case when i.status = 'PENDING' and i.updated_at is null then coalesce(i.next_attempt_at, engine.now()) else i.next_attempt_at end,
          updated_at = coalesce(i.updated_at, i.created_at)
      from picked p, public.item_jobs j
      where i.id = p.id and j.job_id = i.job_id
      returning 1
    )
    select count(*)::integer from filled
  $$;
