-- Whose API a connector reads, as Airbyte names the type of its source ("salesforce"): what throttling is told by. Null: Airbyte could
-- not say when the connector was added. A short name only, so that it can stand in figures.
alter table public.connectors add column provider text
  constraint connectors_provider_is_short check (provider ~ '^[a-z0-9][a-z0-9._-]{0,39}$');
comment on column public.connectors.provider is 'The type of its source at Airbyte; the label throttling is counted under.';
