// Reading back what batches stored. Every statement names the tenant: row-level security holds as well, but each layer must alone.
import type { Queryable } from '../../../platform/database.ts';

export interface JudgmentRow {
  readonly id: number;
  readonly case_number: string;
  readonly county: string | null;
  readonly plaintiff_name: string | null;
  readonly defendant_name: string | null;
  readonly judgment_amount: string | null;
  readonly filing_date: string | null;
  readonly plaintiff_id: number | null;
  readonly source_file: string | null;
  readonly run_id: string;
  readonly line: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface JudgmentFilter {
  readonly tenantId: string;
  readonly afterId: number;
  readonly caseNumber: string | null;
  readonly countyKey: string | null;
  readonly plaintiffId: number | null;
  readonly runId: string | null;
  readonly limit: number;
}

// By the plaintiff first and in order afterwards, whatever the server thinks of how many cases one has.
const ofFamily =
  '(select k.* from family f cross join lateral (select * from judgments where plaintiff_id = f.id offset 0) k)';

/** In the order of their ids. A plaintiff's cases include those of the plaintiffs merged into it. */
export async function listJudgments(db: Queryable, filter: JudgmentFilter): Promise<JudgmentRow[]> {
  const by = { case: filter.caseNumber, county: filter.countyKey, plaintiff: filter.plaintiffId, run: filter.runId };
  const given = Object.entries(by).flatMap(([name, value]) => (value === null ? [] : [name]));
  const { rows } = await db.query<JudgmentRow>({
    name: `judgments-list-${given.join('-') || 'all'}`,
    text: `
      with recursive family (id) as (
        select $6::bigint where $6::bigint is not null
        union
        select p.id from family f cross join lateral (select id from plaintiffs where tenant_id = $1 and merged_into = f.id offset 0) p
      )
      select j.id, j.case_number, j.county, j.plaintiff_name, j.defendant_name, j.judgment_amount::text as judgment_amount,
             j.filing_date::text as filing_date, plaintiff_root(j.tenant_id, j.plaintiff_id) as plaintiff_id, j.source_file,
             j.run_id, j.line, j.created_at, j.updated_at
      from ${filter.plaintiffId === null ? 'judgments' : ofFamily} j
      where j.tenant_id = $1 and j.id > $2
        ${filter.caseNumber === null ? 'and $4::text is null' : 'and j.case_number = $4'}
        ${filter.countyKey === null ? 'and $5::text is null' : 'and j.county_key = $5'}
        ${filter.runId === null ? 'and $7::uuid is null' : 'and j.run_id = $7'}
      order by j.id
      limit $3`,
    values: [
      filter.tenantId,
      filter.afterId,
      filter.limit,
      filter.caseNumber,
      filter.countyKey,
      filter.plaintiffId,
      filter.runId,
    ],
  });
  return rows;
}

export interface PlaintiffRow {
  readonly id: number;
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: string | null;
  readonly known_by: 'email' | 'phone' | 'name' | 'case' | 'split';
  readonly merged_into: number | null;
  readonly judgments: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export async function listPlaintiffs(
  db: Queryable,
  filter: {
    readonly tenantId: string;
    readonly afterId: number;
    readonly nameKey: string | null;
    readonly limit: number;
  },
): Promise<PlaintiffRow[]> {
  const { rows } = await db.query<PlaintiffRow>({
    name: `judgments-list-plaintiffs-${filter.nameKey === null ? 'all' : 'named'}`,
    text: `
      select p.id, p.name, p.email, p.phone, p.address, split_part(p.dedupe_key, ':', 1) as known_by, p.merged_into,
             (select count(*)::int from judgments j where j.tenant_id = p.tenant_id and j.plaintiff_id = p.id) as judgments,
             p.created_at, p.updated_at
      from plaintiffs p
      where p.tenant_id = $1 and p.id > $2
        ${filter.nameKey === null ? 'and $4::text is null' : 'and p.name_key = $4'}
      order by p.id
      limit $3`,
    values: [filter.tenantId, filter.afterId, filter.limit, filter.nameKey],
  });
  return rows;
}
