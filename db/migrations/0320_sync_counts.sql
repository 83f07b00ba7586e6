-- How far a sync is, for those who watch it: written with every part, replaced by the receipt in the end.
alter table public.source_syncs add column counts jsonb;
grant update (counts) on public.source_syncs to sources_worker;
