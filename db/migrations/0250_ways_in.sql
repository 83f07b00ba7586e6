-- Ways into tables that grow, so that no statement depends on what the server knows of them (docs/decisions/0160).

-- A plaintiff's cases: with the tenant in front, as every statement asks. By plaintiff alone, an index on the tenant looked as good.
create index judgments_of_plaintiff on public.judgments (tenant_id, plaintiff_id) where plaintiff_id is not null;
drop index public.judgments_by_plaintiff;

-- Workers that live, and those whose time to be forgotten comes. Neither names what a heartbeat writes.
create index workers_alive on engine.workers (worker_id) where ended_at is null;
create index workers_ended on engine.workers (ended_at) where ended_at is not null;

-- Rows of removed bytes, oldest first.
create index blobs_deleted on engine.blobs (deleted_at) where deleted_at is not null;
