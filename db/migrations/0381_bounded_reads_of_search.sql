-- What services look for every few seconds or minutes is found by an index of its own.
create index embedding_models_retired on public.embedding_models (part_at nulls first, tenant_id, model_id) where is_due and state = 'retired';
-- Old questions are removed by their key.
grant select (tenant_id) on public.queries to documents_cleanup;
