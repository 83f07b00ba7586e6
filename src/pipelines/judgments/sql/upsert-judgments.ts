// Cases from staging into production, for a range of staged rows, in one statement.
//
// Each row is looked up by its key and judged: new, changed or unchanged, by each column's policy. Only new and changed rows are
// written, in key order. A row that was judged against an older version than the stored one is not written: it is `contended`,
// and the range is rolled back and judged again, so what `noted` says of a range is what was written. Every count of the receipt
// comes from what the statement did.
import type { Queryable } from '../../../platform/database.ts';
import { columnBit, type PolicyColumn, policyColumns } from '../column-policy.ts';
import { type LoadScope, plaintiffByKey, type RowRange } from './resolve-plaintiffs.ts';

export type LoadOutcome = 'inserted' | 'updated' | 'unchanged' | 'contended';

export interface LoadedRow {
  readonly outcome: LoadOutcome;
  readonly rows: number;
}

export interface UpsertOptions {
  readonly sourceFile: string | null;
  /** Bits of the columns whose policy it is. */
  readonly overwrite: number;
  readonly clear: number;
}

/** The value a column will have: emptied, overwritten, or kept where the row has none. */
const merged = (column: PolicyColumn) => {
  const bit = columnBit(column);
  return `case when ($7::int | s.cleared) & ${bit} <> 0 then null
               when $6::int & ${bit} <> 0 then s.${column}
               else coalesce(s.${column}, known.${column}) end as ${column}`;
};

const list = (prefix: string) => policyColumns.map((column) => `${prefix}${column}`).join(', ');

// Keys of plaintiffs repeat, so each is looked up once and joined by hash; cases do not, and are looked up one by one. The CTEs are
// counted apart and never joined: without statistics on staging the planner would compare every row with every row (10,000 rows
// took 15 s).
const text = `
  with given as materialized (
    select s.row_index, s.line, s.byte_offset, s.case_number, s.county, s.county_key, ${list('s.')}, s.dedupe_key, s.cleared
    from intake.simplicity_validated_rows s
    where s.batch_id = $1 and s.row_index >= $3 and s.row_index < $4
  ),
  people as materialized (
    select k.dedupe_key, ${plaintiffByKey('k.dedupe_key')} as plaintiff_id
    from (select distinct dedupe_key from given where dedupe_key is not null) k
  ),
  judged as materialized (
    select j.row_index, j.line, j.byte_offset, j.case_number, j.county, j.county_key, j.version, ${list('j.')}, j.plaintiff_id,
           -- New, or says something that is not stored yet.
           (j.version is null
             or (${list('j.')}, j.plaintiff_id) is distinct from (${list('j.known_')}, j.known_plaintiff_id)) as is_news
    from (
      select s.row_index, s.line, s.byte_offset, s.case_number, s.county, s.county_key, known.version,
             ${policyColumns.map(merged).join(',\n             ')},
             case when known.plaintiff_pinned then known.plaintiff_id
                  else coalesce(p.plaintiff_id, known.plaintiff_id) end as plaintiff_id,
             ${policyColumns.map((column) => `known.${column} as known_${column}`).join(', ')},
             known.plaintiff_id as known_plaintiff_id
      from given s
      left join people p on p.dedupe_key = s.dedupe_key
      left join lateral (
        select j.version, j.plaintiff_id, j.plaintiff_pinned, ${list('j.')}
        from judgments j
        where j.tenant_id = $2 and j.case_number = s.case_number and j.county_key is not distinct from s.county_key
        limit 1
      ) known on true
    ) j
  ),
  written as (
    insert into judgments (
      tenant_id, case_number, county, county_key, ${list('')}, plaintiff_id, source_file, run_id, line, byte_offset, version)
    select $2, j.case_number, j.county, j.county_key, ${list('j.')}, j.plaintiff_id, $5, $1, j.line, j.byte_offset, coalesce(j.version, 0) + 1
    from judged j
    where j.is_news
    order by j.case_number, j.county_key
    on conflict on constraint judgments_case_number_key do update
    set ${policyColumns.map((column) => `${column} = excluded.${column}`).join(', ')},
        plaintiff_id = excluded.plaintiff_id, source_file = excluded.source_file, run_id = excluded.run_id, line = excluded.line,
        byte_offset = excluded.byte_offset, version = excluded.version, updated_at = engine.now()
    where judgments.version = excluded.version - 1
    returning (xmax = 0) as is_new
  ),
  noted as (
    insert into engine.row_outcomes (run_id, tenant_id, outcome, rows)
    select $1, $2, case when not j.is_news then 'unchanged' when j.version is null then 'inserted' else 'updated' end as outcome,
           range_agg(int4range(j.row_index, j.row_index + 1))
    from judged j
    group by outcome
  )
  select 'inserted' as outcome, count(*)::int as rows from written where is_new
  union all
  select 'updated', count(*)::int from written where not is_new
  union all
  select 'unchanged', count(*)::int from judged j where not j.is_news
  union all
  select 'contended', (select count(*) from judged j where j.is_news)::int - (select count(*) from written)::int`;

export async function upsertJudgments(
  db: Queryable,
  scope: LoadScope,
  range: RowRange,
  options: UpsertOptions,
): Promise<LoadedRow[]> {
  const { rows } = await db.query<LoadedRow>({
    name: 'judgments-upsert',
    text,
    values: [scope.batchId, scope.tenantId, range.from, range.to, options.sourceFile, options.overwrite, options.clear],
  });
  return rows;
}
