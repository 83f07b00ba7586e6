-- Whose API a connector reads, as Airbyte names the type of its source ("salesforce"): what throttling is told by. Null: Airbyte could
-- not say when the connector was added. A short name only, so that it can stand in figures.
alter table public.connectors add column provider text
  constraint connectors_provider_is_short check (provider ~ '^[a-z0-9][a-z0-9._-]{0,39}$');
comment on column public.connectors.provider is 'The type of its source at Airbyte; the label throttling is counted under.';

-- The same rows as before, found by the side table's own phase, which has an index for them: asked of the ledger's, every look at the dead
-- letters read the whole ledger (1.2 s with a million runs, for each pipeline and each scrape).
create or replace view engine.dead_letters with (security_invoker = true) as
select r.id, r.tenant_id, r.pipeline, r.status, r.phase, r.attempt, r.error_code, r.error_text, r.correlation_id, r.created_at, r.finished_at
from engine.flagged_runs f
join engine.runs r on r.id = f.run_id
where f.phase = 'dead' and r.requeued_as is null;
