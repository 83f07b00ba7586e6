-- Document runs on their way to a worker, where INGEST_MODE is http or queue: from the commit of the run until its delivery was accepted or has
-- failed. The outbox fills it, so that no request waits for a worker; a row that is gone has nothing left to be done.
--
--   documents_delivery   these rows, of whichever tenant; no document, no run
create table public.document_deliveries (
  run_id uuid primary key,
  tenant_id uuid not null,
  -- How often it was sent; the payload carries it.
  tries integer not null default 0,
  -- When it is to be sent (again). While it is being sent: when others may take it for lost.
  next_at timestamptz not null default engine.now(),
  last_error text,
  created_at timestamptz not null default engine.now()
);
create index document_deliveries_due on public.document_deliveries (next_at, run_id);
create index document_deliveries_old on public.document_deliveries (created_at);

alter table public.document_deliveries enable row level security;
alter table public.document_deliveries force row level security;

select engine.ensure_role('documents_delivery');
grant usage on schema engine, public to documents_delivery;
grant select, insert, update, delete on public.document_deliveries to documents_delivery;
create policy deliveries_of_any_tenant on public.document_deliveries to documents_delivery using (true) with check (true);
