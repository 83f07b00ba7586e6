-- Lists of runs say how many of the refused rows are still open: found by the run, among the open rows alone, so that what was corrected and replayed
-- costs nothing (docs/decisions/1020-open-rows-in-lists.md). Writes of refused rows wait while it is built.
--
-- `nullif` instead of `status = 'open'`: statements that list the open rows of one cause must not take this index, in which causes have no order.
create index rejects_open on engine.rejects (run_id, tenant_id) where nullif(status, 'open') is null;
