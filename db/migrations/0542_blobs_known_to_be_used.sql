-- The sweep asked of every stored file in use whether a run names it, each time. A file that was found to have one is not asked about again.
alter table engine.blobs add column is_used boolean not null default false;
drop index engine.blobs_by_creation;
create index blobs_by_creation on engine.blobs (created_at) where deleted_at is null and not is_used;
