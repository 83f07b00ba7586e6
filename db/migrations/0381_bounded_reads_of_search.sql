-- Old questions are removed by their key.
grant select (tenant_id) on public.queries to documents_cleanup;
