-- Ways into the engine's tables that leave the planner nothing to choose. None is on engine.runs, whose updates must stay HOT.

-- A dead run is found by its id: before, acknowledging one read all dead runs of its tenant. Rows are written when a run dies, which is rare.
drop index engine.flagged_runs_dead;
create index flagged_runs_dead on engine.flagged_runs (tenant_id, run_id) where phase = 'dead';

-- The next revision is looked for at its key and one step further, which only the index of keys can do. Asked for equality, an index of
-- all runs of the pipeline looks as good to a server without statistics: 113,000 rows were read for 350 letters.
create or replace view engine.dead_letters with (security_invoker = true) as
select f.run_id as id, f.tenant_id, f.pipeline, f.status, f.phase, r.attempt, r.error_code, r.error_text, r.correlation_id, r.created_at,
       f.finished_at, r.unique_key
from (
  select tenant_id, run_id, pipeline, status, phase, finished_at
  from engine.flagged_runs
  where phase = 'dead' and acknowledged_at is null
  union all
  select w.tenant_id, w.run_id, w.pipeline, w.status, w.phase, w.finished_at
  from engine.pipelines p
  join engine.flagged_runs w on w.pipeline = p.pipeline and w.phase = 'failed' and w.acknowledged_at is null
  where p.failed_are_dead_letters
) f
cross join lateral (select * from engine.all_runs x where x.id = f.run_id limit 1) r
where r.requeued_as is null
  and (select true from engine.all_retries n where n.retry_of = f.run_id limit 1) is null
  and (r.unique_key is null or (
    (select k.unique_key = engine.next_revision(r.unique_key)
     from engine.runs k
     where k.tenant_id = f.tenant_id and k.pipeline = f.pipeline and k.unique_key >= engine.next_revision(r.unique_key)
     order by k.unique_key
     limit 1) is not true
    and (select true
         from engine.past_keys k
         where k.tenant_id = f.tenant_id and k.pipeline = f.pipeline and k.unique_key = engine.next_revision(r.unique_key)
         limit 1) is null));

-- Every idle worker asks when the next part may be claimed, and every end of a part takes the next one of its run. Before, all open parts
-- were read, and all parts of the run. Who asks for the first one says that it has a time; nobody else can be led through this index,
-- which has the open parts of all runs.
create index parts_due on engine.parts (pipeline, available_at) where state = 'open' and available_at > '-infinity';
create index parts_open_of_run on engine.parts (run_id, part) where state = 'open';

-- Pages of a tenant's schedules.
create index schedules_by_tenant on engine.schedules (tenant_id, schedule_id);
