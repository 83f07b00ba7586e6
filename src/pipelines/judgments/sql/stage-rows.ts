// Cases into staging. The unique key of staging refuses a case that the file names a second time; which of the given rows that are
// comes back, so that they can be compared with the first.
import type { Queryable } from '../../../platform/database.ts';
import { isUniqueViolation } from '../../../platform/database-errors.ts';

export interface StagingTarget {
  readonly batchId: string;
  readonly tenantId: string;
}

export interface Staged {
  readonly staged: number;
  /** Row indexes whose case is in staging already. */
  readonly repeated: readonly number[];
}

const given = `
  select unnest($3::int4[]) as row_index, unnest($4::int4[]) as line, unnest($5::int8[]) as byte_offset,
         unnest($6::text[]) as case_number, unnest($7::text[]) as county, unnest($8::text[]) as county_key,
         unnest($9::text[]) as plaintiff_name, unnest($10::text[]) as defendant_name, unnest($11::numeric[]) as judgment_amount,
         unnest($12::date[]) as filing_date, unnest($13::text[]) as email, unnest($14::text[]) as phone,
         unnest($15::text[]) as address, unnest($16::text[]) as dedupe_key, unnest($17::text[]) as phone_key,
         unnest($18::text[]) as name_key, unnest($19::int4[]) as cleared, unnest($20::bool[]) as tells_plaintiff`;

const insert = `
  insert into intake.simplicity_validated_rows (
    batch_id, tenant_id, row_index, line, byte_offset, case_number, county, county_key, plaintiff_name, defendant_name,
    judgment_amount, filing_date, email, phone, address, dedupe_key, phone_key, name_key, cleared, tells_plaintiff)
  select $1::uuid, $2::uuid, given.* from given`;

/**
 * `columns`: binary arrays in the order of StagingBuffer. Inserts plainly, which halves the server's work; false when a case is
 * there already, and then nothing of it was staged and the transaction goes on as if it had not been tried.
 */
export async function stageNewRows(
  db: Queryable,
  target: StagingTarget,
  columns: readonly Buffer[],
): Promise<number | false> {
  await db.query('savepoint plain_staging');
  try {
    const { rowCount } = await db.query({
      name: 'judgments-stage-new-rows',
      text: `with given as (${given}) ${insert}`,
      values: [target.batchId, target.tenantId, ...columns],
    });
    return rowCount ?? 0;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await db.query('rollback to savepoint plain_staging');
    return false;
  }
}

/** The same for rows of which some may be repetitions: they are told from the others. */
export async function stageRows(db: Queryable, target: StagingTarget, columns: readonly Buffer[]): Promise<Staged> {
  const { rows } = await db.query<Staged>({
    name: 'judgments-stage-rows',
    text: `
      with given as materialized (${given}),
      added as (
        ${insert}
        on conflict (batch_id, case_number, county_key) do nothing
        returning row_index
      )
      select (select count(*)::int from added) as staged,
             array(select row_index from given except select row_index from added) as repeated`,
    values: [target.batchId, target.tenantId, ...columns],
  });
  return rows[0] ?? { staged: 0, repeated: [] };
}

export interface RepeatedCase {
  readonly row_index: number;
  readonly case_number: string;
  readonly county_key: string | null;
  readonly plaintiff_name: string | null;
  readonly defendant_name: string | null;
  readonly judgment_amount: string | null;
  readonly filing_date: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: string | null;
}

export interface ComparedCase {
  readonly row_index: number;
  readonly first_index: number;
  readonly first_line: number;
  readonly is_same: boolean;
}

const values = (from: string) =>
  ['plaintiff_name', 'defendant_name', 'judgment_amount', 'filing_date', 'email', 'phone', 'address']
    .map((column) => `${from}.${column}`)
    .join(', ');

/** Whether a repeated case says the same as its first line. */
export async function compareRepeated(
  db: Queryable,
  batchId: string,
  repeated: readonly RepeatedCase[],
): Promise<ComparedCase[]> {
  const { rows } = await db.query<ComparedCase>({
    name: 'judgments-compare-repeated',
    text: `
      select g.row_index, s.row_index as first_index, s.line as first_line, (${values('s')}) is not distinct from (${values('g')}) as is_same
      from jsonb_to_recordset($2::jsonb) as g (
        row_index int, case_number text, county_key text, plaintiff_name text, defendant_name text, judgment_amount numeric,
        filing_date date, email text, phone text, address text)
      cross join lateral (
        select * from intake.simplicity_validated_rows
        where batch_id = $1 and case_number = g.case_number and county_key is not distinct from g.county_key limit 1
      ) s`,
    values: [batchId, JSON.stringify(repeated)],
  });
  return rows;
}
