// What the catalogue says about who can see what. Read by "millrace doctor" and by the audit test, so that a table added later
// is found by both. Tables count as a tenant's when they have a column tenant_id or workspace_id, in any schema.
import type { Queryable } from '../../platform/database.ts';

const ourSchemas = `n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'`;

/** Tables of tenants without enabled and forced row-level security. */
export async function findUnprotectedTables(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>({
    text: `
      select format('%I.%I', n.nspname, c.relname) as name
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and c.relpersistence <> 't' and ${ourSchemas}
        and exists (select from pg_attribute a
                    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                      and a.attname in ('tenant_id', 'workspace_id'))
        and not (c.relrowsecurity and c.relforcerowsecurity)
      order by 1`,
  });
  return rows.map(({ name }) => name);
}

/** Views that would read with their owner's rights, and materialised copies of tenants' rows, which no policy can guard. */
export async function findOpenViews(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>({
    text: `
      select format('%I.%I', n.nspname, c.relname) as name
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where ${ourSchemas}
        and (c.relkind = 'v' and not coalesce(c.reloptions @> '{security_invoker=true}', false)
          or c.relkind = 'm' and exists (select from pg_attribute a
                                         where a.attrelid = c.oid and a.attname in ('tenant_id', 'workspace_id')))
      order by 1`,
  });
  return rows.map(({ name }) => name);
}

export interface DefinerFunction {
  readonly name: string;
  /** Its search path is fixed and ends in pg_temp, so that nobody can slip an object of their own under it. */
  readonly pinned: boolean;
  /** Everybody may call it. */
  readonly open: boolean;
}

export async function listDefinerFunctions(db: Queryable): Promise<DefinerFunction[]> {
  const { rows } = await db.query<DefinerFunction>({
    text: `
      select format('%I.%I', n.nspname, p.proname) as name,
             coalesce(array_to_string(p.proconfig, ';') ~ 'search_path=.*pg_temp("|$|;)', false) as pinned,
             has_function_privilege('public', p.oid, 'execute') as open
      from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace
      where p.prosecdef and ${ourSchemas}
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      order by 1`,
  });
  return rows;
}

export interface PowerfulRole {
  readonly role: string;
  /** It is the login itself, not one of the roles the login may become. */
  readonly is_login: boolean;
  readonly superuser: boolean;
  readonly bypasses: boolean;
  /** Tables, views, functions and schemas it owns here. */
  readonly owned: number;
}

/** The login of this connection and the roles it may become, with what they could do beside their grants. */
export async function listAppRoles(db: Queryable): Promise<PowerfulRole[]> {
  const { rows } = await db.query<PowerfulRole>({
    text: `
      with app as (
        select r.oid, r.rolname, r.rolsuper, r.rolbypassrls, r.rolname = session_user as is_login
        from pg_roles r
        where r.rolname = session_user
           or exists (select from pg_auth_members m
                      join pg_roles l on l.oid = m.member
                      where m.roleid = r.oid and l.rolname = session_user and r.rolname !~ '^pg_')
      )
      select a.rolname as role, a.is_login, a.rolsuper as superuser, a.rolbypassrls as bypasses,
             (select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
              where c.relowner = a.oid and ${ourSchemas})
           + (select count(*) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
              where p.proowner = a.oid and ${ourSchemas})
           + (select count(*) from pg_namespace n where n.nspowner = a.oid and ${ourSchemas}) as owned
      from app a
      order by 1`,
  });
  return rows;
}

export interface WidePolicy {
  readonly table: string;
  readonly policy: string;
  readonly role: string;
}

/** Policies on tenants' tables that let a role read or change rows without naming the tenant of the session. */
export async function listWidePolicies(db: Queryable): Promise<WidePolicy[]> {
  const { rows } = await db.query<WidePolicy>({
    text: `
      select format('%I.%I', p.schemaname, p.tablename) as "table", p.policyname as policy, role
      from pg_policies p, unnest(p.roles) role
      where p.permissive = 'PERMISSIVE' and p.cmd <> 'INSERT'
        and p.qual !~ 'millrace.tenant_id|current_tenant'
        -- The catalogue itself: information_schema hides tables on which the caller has no grant.
        and exists (select from pg_attribute c
                    where c.attrelid = format('%I.%I', p.schemaname, p.tablename)::regclass
                      and c.attname in ('tenant_id', 'workspace_id') and not c.attisdropped)
      order by 1, 2, 3`,
  });
  return rows;
}
