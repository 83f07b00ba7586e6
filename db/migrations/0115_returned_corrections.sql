-- A file of rejects that comes back corrected: the refused rows keep what the file says of them beside what was read, so that a person sees
-- the new value and the old one. The stages that read such a file may write the correction of a row, and still nothing else of it.
grant update (correction, corrected_by, corrected_at) on engine.rejects to ads_parse, judgments_import;
