-- Ads: whether the upload itself brought a campaign, ad set or ad. Numbers of something that was unknown a moment ago cannot be stored
-- yet, so promotion does not look them up: a fifth of the time of a first load. A hint only; the unique key of daily_metrics decides.
alter table public.staging_id_resolution add column first_seen boolean not null default false;
