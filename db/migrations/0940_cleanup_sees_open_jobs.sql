-- The cleanup looks for jobs with items that wait and no run that works on them, those that changed last first (src/pipelines/items/leftovers.ts).
grant select (updated_at) on public.item_jobs to items_cleanup;
