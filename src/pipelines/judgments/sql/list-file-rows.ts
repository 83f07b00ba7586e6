// The cases of a batch with how each ended, in file order, from the ranges noted when they were stored. A line that repeats an earlier
// one (superseded) is not staged; what it says is read from the line it repeats.
import type { Queryable } from '../../../platform/database.ts';

export interface FileRow {
  readonly row_index: number;
  readonly line: number;
  readonly outcome: string;
  readonly case_number: string;
  readonly county: string | null;
  readonly plaintiff_name: string | null;
  readonly defendant_name: string | null;
  readonly judgment_amount: string | null;
  readonly filing_date: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: string | null;
  readonly judgment_id: string | null;
}

export interface FileRowQuery {
  readonly tenantId: string;
  readonly runId: string;
  /** null: every outcome. */
  readonly outcomes: readonly string[] | null;
  readonly afterRow: number;
  readonly limit: number;
}

// Each span has at least one row and a page needs no more than its limit from any, so both are cut before the rows are read.
const text = `
  with spans as (
    select o.outcome, lower(r) as first, least(upper(r), greatest(lower(r), $4::int + 1) + $5::int) as past
    from engine.row_outcomes o
    cross join lateral unnest(o.rows) as r
    where o.run_id = $1 and o.tenant_id = $2 and ($3::text[] is null or o.outcome = any ($3)) and upper(r) > $4::int + 1
    order by lower(r)
    limit $5
  ),
  page as (
    (select s.row_index, s.line, x.outcome, s.row_index as said_in
     from spans x
     cross join lateral (
       select row_index, line, tenant_id from intake.simplicity_validated_rows
       where batch_id = $1 and row_index >= greatest(x.first, $4::int + 1) and row_index < x.past
       order by row_index
       limit $5
     ) s
     where s.tenant_id = $2
     order by s.row_index
     limit $5)
    union all
    (select d.row_index, d.line, 'superseded', d.first_index
     from intake.superseded_rows d
     where d.batch_id = $1 and d.tenant_id = $2 and d.row_index > $4::int and ($3::text[] is null or 'superseded' = any ($3))
     order by d.row_index
     limit $5)
    order by row_index
    limit $5
  )
  select p.row_index, p.line, p.outcome, s.case_number, s.county, s.plaintiff_name, s.defendant_name,
         s.judgment_amount::text, s.filing_date::text, s.email, s.phone, s.address,
         (select j.id::text from judgments j
          where j.tenant_id = $2 and j.case_number = s.case_number and j.county_key is not distinct from s.county_key limit 1) as judgment_id
  from page p
  cross join lateral (
    select * from intake.simplicity_validated_rows where batch_id = $1 and row_index >= p.said_in order by row_index limit 1
  ) s
  where s.row_index = p.said_in and s.tenant_id = $2
  order by p.row_index`;

export async function listFileRows(db: Queryable, query: FileRowQuery): Promise<FileRow[]> {
  const { tenantId, runId, outcomes, afterRow, limit } = query;
  const { rows } = await db.query<FileRow>({
    name: 'judgments-list-file-rows',
    text,
    values: [runId, tenantId, outcomes, afterRow, limit],
  });
  return rows;
}

export async function hasStagedRows(db: Queryable, tenantId: string, runId: string): Promise<boolean> {
  const { rows } = await db.query({
    name: 'judgments-has-staged-rows',
    text: `select from intake.simplicity_validated_rows where batch_id = $2 and tenant_id = $1 limit 1`,
    values: [tenantId, runId],
  });
  return rows.length > 0;
}
