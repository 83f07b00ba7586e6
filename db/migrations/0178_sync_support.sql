-- Support looks at syncs across tenants, with the specification's own queries: which are stuck, and which errors fill the dead letters. A role of
-- its own that sees syncs alone, so that nobody needs the engine's rights for it.
select engine.ensure_role('syncs_support');
grant usage on schema engine, public to syncs_support;
grant select on engine.runs, engine.past_runs, engine.kept_runs, engine.all_runs, engine.leases to syncs_support;
grant select (worker_id, expires_at) on engine.workers to syncs_support;
grant select on public.sync_jobs, public.ingestion_jobs to syncs_support;
do $$
declare
  seen text;
begin
  foreach seen in array array['runs', 'past_runs', 'kept_runs', 'leases'] loop
    execute format('create policy support_any_tenant on engine.%I for select to syncs_support using (pipeline = ''syncs'')', seen);
  end loop;
end
$$;
create policy support_any_tenant on public.sync_jobs for select to syncs_support using (true);

-- Running for more than two hours while its worker is silent. A sync that is merely long is none of these: Airbyte may take its time.
create view public.v_stale_jobs with (security_invoker = true) as
select i.job_id, i.tenant_id, i.connector_id, i.started_at, extract(epoch from engine.now() - i.started_at) / 3600 as hours_running
from (
  select distinct l.run_id
  from engine.leases l
  join engine.workers w on w.worker_id = l.worker_id
  where l.pipeline = 'syncs' and w.expires_at < engine.now()
) silent
join public.ingestion_jobs i on i.job_id = silent.run_id
where i.status = 'running' and i.started_at < engine.now() - interval '2 hours'
order by i.started_at;
comment on view public.v_stale_jobs is 'Syncs running for more than two hours whose worker has gone silent; the rescuer takes them over.';
grant select on public.v_stale_jobs to syncs_support, millrace_app;
