-- Judgments: loading in fewer steps, readings that people can override, and staging that is removed
-- in time.

do $$
begin
  if not exists (select from pg_roles where rolname = 'judgments_cleanup') then
    create role judgments_cleanup nologin noinherit;
  end if;
exception when duplicate_object or unique_violation then
  null;
end
$$;
grant usage on schema engine, intake to judgments_cleanup;

-- ── Loading ──────────────────────────────────────────────────────────────────────────────────────────────────────────
-- False: an earlier row of the batch says the same of the same plaintiff, so whoever recognises plaintiffs may pass it over.
alter table intake.simplicity_validated_rows add column tells_plaintiff boolean not null default true;

-- Ids of plaintiffs are unique over all tenants: the tenant in front only made every insert compare 16 bytes more.
drop index public.judgments_by_plaintiff;
create index judgments_by_plaintiff on public.judgments (plaintiff_id) where plaintiff_id is not null;

-- ── Readings ─────────────────────────────────────────────────────────────────────────────────────────────────────────
-- How a person wants the file to be read instead; the run that retries this one goes by it. It may be said before the file is read.
alter table intake.batch_readings
  add column overrides jsonb,
  add column updated_at timestamptz not null default engine.now(),
  alter column reading drop not null,
  alter column mapping drop not null,
  add constraint batch_readings_whole check ((reading is null) = (mapping is null));
grant update (reading, mapping, updated_at) on intake.batch_readings to judgments_import;
grant insert (batch_id, tenant_id, overrides), update (overrides, updated_at) on intake.batch_readings to millrace_app;

-- ── Cleanup ──────────────────────────────────────────────────────────────────────────────────────────────────────────
-- It reaches every tenant's expired staging but reads nothing of it beside its age.
grant select (batch_id, tenant_id, row_index, created_at), delete on intake.simplicity_validated_rows to judgments_cleanup;
create policy expired_any_tenant on intake.simplicity_validated_rows to judgments_cleanup using (true);
