-- Ads: whether the upload itself brought a campaign, ad set or ad. Numbers of something that was unknown a moment ago cannot be stored
-- yet, so promotion does not look them up: a fifth of the time of a first load. A hint only; the unique key of daily_metrics decides.
alter table public.staging_id_resolution add column first_seen boolean not null default false;

-- A file of rejects that comes back is read by the parse stage, which links the refused rows it finds in it to the run they came back in.
-- It may touch nothing else of them: cells, codes and corrections stay as they are.
grant select (tenant_id, run_id, line, status), update (status, replayed_as) on engine.rejects to ads_parse;
create policy ads_returned on engine.rejects to ads_parse
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid))
  with check (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));

-- What a run brought back, for the moment it ends.
create index rejects_by_return on engine.rejects (replayed_as) where replayed_as is not null;
