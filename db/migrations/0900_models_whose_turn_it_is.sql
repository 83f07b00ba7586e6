-- Whose vectors of a model are built next: first who never had a part, then who waits longest. The index had the models that never had a part
-- last, so that each look sorted all tenants whose vectors are due.
drop index public.embedding_models_due;
create index embedding_models_due on public.embedding_models (model_id, part_at nulls first, tenant_id) where is_due or build_version is not null;
