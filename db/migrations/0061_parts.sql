-- Runs that several workers share. While such a run is active it has a row per part here; who works on a part has a lease for it. The rows go when
-- the run leaves its stage. All changes to them are made under a lock on the run's row in the ledger.
--
-- open:  may be claimed from available_at on. The offer, a loss, a release or a retry puts it here.
-- taken: somebody has the lease. A claim puts it here.
-- ended: its work is done, or will not be done because another part has failed. The end of its attempt puts it here.
create table engine.parts (
  run_id uuid not null,
  part text not null,
  pipeline text not null,
  lane text not null,
  priority smallint not null,
  state text not null check (state in ('open', 'taken', 'ended')),
  available_at timestamptz not null default engine.now(),
  queued_at timestamptz not null default engine.now(),
  -- The end of the attempt that failed for good: the run ends so when its last part has ended.
  failure jsonb,
  primary key (run_id, part)
) with (fillfactor = 70);
create index parts_open on engine.parts (pipeline, lane, priority, run_id, part) where state = 'open';
grant select, insert, update, delete on engine.parts to millrace_engine;
