-- Which pipelines count failed runs as dead letters is declared by their kits, so the index knows no pipeline either.
create index flagged_runs_failed on engine.flagged_runs (pipeline, tenant_id, run_id) where phase = 'failed';
drop index engine.flagged_runs_failed_batches;
