-- Whoever looks at a document is told how its newest run ended, and a document that no version was made of has nothing else to lead to it.
grant select on public.document_files to millrace_app;
create policy tenant_reads on public.document_files for select to millrace_app
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));
