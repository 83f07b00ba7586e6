-- Indexes for pages and sweeps that read a whole table or a whole tenant before. All are of tables that few rows are written to.

-- A page of a tenant's clients, in the order they were added.
create index clients_by_tenant on public.clients (tenant_id, client_id);
-- Who is deleted is looked for in what they granted and made: the server does that for every user, through an index or through all rows.
create index memberships_by_granter on public.memberships (granted_by) where granted_by is not null;
create index api_keys_by_creator on public.api_keys (created_by) where created_by is not null;
-- Open alerts that nobody has acknowledged are looked through for reminders, every few seconds.
create index alerts_unacknowledged on engine.alerts (alert_id) where resolved_at is null and acknowledged_at is null;
-- Tests of sinks are pruned by age.
create index alert_sends_tests on engine.alert_sends (created_at) where what = 'test';
-- Counts of failed sign-ins are forgotten by age.
create index login_attempts_by_window on public.login_attempts (window_started_at);
