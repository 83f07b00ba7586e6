-- How many objects a source has in each state is kept, not counted: a source may have a million, and every look at the list asks. Triggers keep it
-- with every statement over the objects, so no writer can forget it. Objects of buckets that keep versions say which one was read.

alter table public.source_objects add column version_id text;

create table public.source_object_counts (
  tenant_id uuid not null,
  source_id uuid not null,
  status text not null,
  objects integer not null,
  primary key (source_id, status),
  foreign key (tenant_id, source_id) references public.ingestion_sources (tenant_id, source_id) on delete cascade
);

insert into public.source_object_counts (tenant_id, source_id, status, objects)
select o.tenant_id, o.source_id, o.status, count(*) from public.source_objects o group by 1, 2, 3;

create function public.count_source_objects() returns trigger
language plpgsql set search_path = pg_catalog, public as $$
begin
  if tg_op = 'INSERT' then
    insert into public.source_object_counts as c (tenant_id, source_id, status, objects)
    select n.tenant_id, n.source_id, n.status, count(*) from added n group by 1, 2, 3 order by 2, 3
    on conflict (source_id, status) do update set objects = c.objects + excluded.objects;
  elsif tg_op = 'UPDATE' then
    insert into public.source_object_counts as c (tenant_id, source_id, status, objects)
    select d.tenant_id, d.source_id, d.status, sum(d.by)
    from (
      select n.tenant_id, n.source_id, n.status, 1 as by from added n
      union all
      select g.tenant_id, g.source_id, g.status, -1 from gone g
    ) d
    group by 1, 2, 3
    having sum(d.by) <> 0
    order by 2, 3
    on conflict (source_id, status) do update set objects = c.objects + excluded.objects;
  else
    -- With its source: the counts go the same way.
    update public.source_object_counts c set objects = c.objects - d.objects
    from (select g.source_id, g.status, count(*) as objects from gone g group by 1, 2) d
    where c.source_id = d.source_id and c.status = d.status;
  end if;
  return null;
end
$$;
revoke all on function public.count_source_objects() from public;

create trigger source_objects_counted_in after insert on public.source_objects
  referencing new table as added for each statement execute function public.count_source_objects();
create trigger source_objects_counted_over after update on public.source_objects
  referencing old table as gone new table as added for each statement execute function public.count_source_objects();
create trigger source_objects_counted_out after delete on public.source_objects
  referencing old table as gone for each statement execute function public.count_source_objects();

alter table public.source_object_counts enable row level security;
alter table public.source_object_counts force row level security;
create policy tenant_only on public.source_object_counts to millrace_app, sources_worker
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid))
  with check (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));
grant select, insert, update on public.source_object_counts to millrace_app, sources_worker;

-- The same as the unique key beside it.
drop index public.ingestion_sources_by_tenant;

grant select (ctid) on public.source_sync_lines to sources_services;

-- A queue of announcements that cannot be heard: since when, and why. Files still come with the next listing, and somebody should know.
alter table public.ingestion_sources add column queue_failing_since timestamptz, add column queue_error_code text;
grant select (queue_failing_since, queue_error_code, last_error_code), update (queue_failing_since, queue_error_code)
  on public.ingestion_sources to sources_services;
