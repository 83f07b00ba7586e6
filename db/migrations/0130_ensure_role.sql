-- Later migrations make a stage's role by `select engine.ensure_role('items_import');` instead of copying a block. Roles belong to the
-- server and not to the database: another database may have made it, or be making it now.

create function engine.ensure_role(role_name name) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
  if not exists (select from pg_roles where rolname = role_name) then
    execute format('create role %I nologin noinherit', role_name);
  end if;
exception when duplicate_object or unique_violation then
  null;
end
$$;

revoke execute on function engine.ensure_role(name) from public;
