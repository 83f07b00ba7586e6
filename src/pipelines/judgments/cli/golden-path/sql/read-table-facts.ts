// The facts about tables, keys and grants that the golden path checks.
import type { Queryable } from '../../../../../platform/database.ts';

export interface TableFacts {
  readonly stale: number;
  /** "table (columns)" of every unique constraint of the pipeline. */
  readonly constraints: readonly string[];
  readonly unprotected: readonly string[];
  readonly is_guarded: boolean;
  readonly may_read_runs: boolean;
}

/** Asked as the engine: stale batches, constraints, row-level security, guard and grants. */
export async function readTableFacts(db: Queryable): Promise<TableFacts> {
  const { rows } = await db.query<TableFacts>({
    name: 'judgments-read-table-facts',
    text: `
      select (select count(*)::int from ingest.v_stale_runs) as stale,
             (select coalesce(array_agg(found.text order by found.text), '{}') from (
                select c.conrelid::regclass || ' (' || string_agg(a.attname, ', ' order by a.attname) || ')' as text
                from pg_constraint c
                join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
                where c.contype = 'u' and c.conrelid in ('public.judgments'::regclass, 'public.plaintiffs'::regclass,
                                                         'intake.simplicity_validated_rows'::regclass)
                group by c.oid, c.conrelid
                union all
                select 'import_runs (pipeline, tenant_id, unique_key)'
                where to_regclass('engine.runs_unique_key') is not null) found) as constraints,
             (select coalesce(array_agg(t.oid::regclass::text order by 1), '{}') from pg_class t
              where t.oid in ('public.judgments'::regclass, 'public.plaintiffs'::regclass, 'public.plaintiff_keys'::regclass,
                              'public.plaintiff_reviews'::regclass, 'intake.simplicity_validated_rows'::regclass)
                and not (t.relrowsecurity and t.relforcerowsecurity)) as unprotected,
             exists (select from pg_trigger where tgname = 'trg_import_runs_status_guard' and tgenabled <> 'D') as is_guarded,
             has_table_privilege('millrace_app', 'ingest.import_runs', 'select')
               and has_table_privilege('judgments_import', 'public.judgments', 'select, insert, update') as may_read_runs`,
  });
  return rows[0] as TableFacts;
}
