-- Who does what only one process of an installation has to do. A row that expires, not a lock of a session: a lock does not exist behind
-- a pooler in transaction mode, and it outlives a session that went silent.
create table engine.elections (
  name text primary key,
  holder uuid not null,
  -- Where the holder runs: who starts on the same machine after it was killed need not wait for the row to expire.
  host text not null,
  pid int not null,
  expires_at timestamptz not null
);
comment on table engine.elections is 'The process that does the background work of the installation, until when.';
grant select, insert, update, delete on engine.elections to millrace_engine;
