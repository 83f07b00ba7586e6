// What an empty cell does to a stored value, per column. keep: the stored value stays (the default). overwrite: the file is right,
// also where it is empty. clear: the column is emptied. A cell that holds the null token empties that one value under any policy.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { escapeFormula } from '../../tabular/csv/formula-escape.ts';
import type { Reading } from '../../tabular/reading.ts';

export const policyColumns = ['plaintiff_name', 'defendant_name', 'judgment_amount', 'filing_date'] as const;
export type PolicyColumn = (typeof policyColumns)[number];

export const columnPolicies = ['keep', 'overwrite', 'clear'] as const;
export type ColumnPolicy = (typeof columnPolicies)[number];
export type Policies = Readonly<Partial<Record<PolicyColumn, ColumnPolicy>>>;

const DEFAULT_NULL_TOKEN = '\\N';

/** The bit of a column in `cleared` and in the masks of the upsert. */
export function columnBit(column: string): number {
  const index = (policyColumns as readonly string[]).indexOf(column);
  return index === -1 ? 0 : 1 << index;
}

export function policyMask(policies: Policies, wanted: ColumnPolicy): number {
  return policyColumns
    .filter((column) => policies[column] === wanted)
    .reduce((mask, column) => mask | columnBit(column), 0);
}

/** The null token as it may stand in the cells of a file; one of our own files has it escaped where a spreadsheet would run it. */
export function nullTokensIn(
  { unescapeFormulas }: Pick<Reading, 'unescapeFormulas'>,
  token = DEFAULT_NULL_TOKEN,
): readonly string[] {
  return unescapeFormulas ? [...new Set([token, escapeFormula(token)])] : [token];
}

/** Reads "judgment_amount=overwrite,filing_date=clear". */
export function parsePolicies(text: string): Policies {
  const policies: Partial<Record<PolicyColumn, ColumnPolicy>> = {};
  for (const part of text.split(',').map((each) => each.trim())) {
    if (part === '') continue;
    const [name = '', policy = ''] = part.split('=').map((each) => each.trim());
    const column = policyColumns.find((each) => each === name);
    const known = columnPolicies.find((each) => each === policy);
    if (column === undefined) fail(`"${name}" is not one of ${policyColumns.join(', ')}`);
    if (known === undefined) fail(`"${policy}" is not one of ${columnPolicies.join(', ')}`);
    policies[column] = known;
  }
  return policies;
}

function fail(reason: string): never {
  throw new MillraceError('policy_invalid', { reason });
}
