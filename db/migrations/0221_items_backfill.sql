-- The one-time backfill of the specification: job_items that are older than user_id, job_type and updated_at take them from their job. Called in
-- small pieces by a service until nothing is left (src/pipelines/items/backfill.ts), so that it can be interrupted anywhere and run again.
-- What is filled stays as it is.
create function public.backfill_job_items(at_most integer) returns integer
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
          updated_at = coalesce(i.updated_at, i.created_at)
      from picked p, public.item_jobs j
      where i.id = p.id and j.job_id = i.job_id
      returning 1
    )
    select count(*)::integer from filled
  $$;
revoke execute on function public.backfill_job_items(integer) from public;
grant execute on function public.backfill_job_items(integer) to millrace_app, items_worker;
