// Airbyte's refusals become ours by one table: status and problem type → code, whose kind decides what the engine does. The
// first row that fits counts.
import type { ErrorCode } from '../../../contract/errors/catalogue.ts';
import type { ErrorKind } from '../../../contract/errors/entry.ts';

interface Row {
  readonly status: number | readonly [from: number, to: number];
  /** The end of the problem's `type`; left out: whatever it is. */
  readonly type?: string;
  readonly code: ErrorCode;
}

const errorTable: readonly Row[] = [
  { status: 401, code: 'airbyte_unauthorized' },
  { status: 403, code: 'airbyte_forbidden' },
  { status: 404, code: 'airbyte_not_found' },
  { status: 408, code: 'airbyte_unavailable' },
  { status: 409, type: 'try-again-later', code: 'airbyte_busy' },
  { status: 409, code: 'airbyte_not_running' },
  { status: 429, code: 'airbyte_rate_limited' },
  { status: [400, 499], code: 'airbyte_unprocessable' },
  { status: [500, 599], code: 'airbyte_unavailable' },
];

/** Codes of each kind that a connector may map a status to: some sources say 403 when they mean "slow down". */
const codeOfKind: Partial<Record<ErrorKind, ErrorCode>> = {
  auth: 'airbyte_forbidden',
  rate_limited: 'airbyte_rate_limited',
  transient: 'airbyte_unavailable',
  config: 'airbyte_unprocessable',
};

export function codeFor(
  status: number,
  type: string | null | undefined,
  mapped: Readonly<Record<string, string>> = {},
): ErrorCode {
  const wanted = codeOfKind[mapped[String(status)] as ErrorKind];
  if (wanted !== undefined) return wanted;
  const row = errorTable.find((each) => fits(each, status, type ?? ''));
  // Anything else (a redirect, an unknown 1xx) is no answer of the API.
  return row?.code ?? 'airbyte_unavailable';
}

function fits(row: Row, status: number, type: string): boolean {
  const inRange =
    typeof row.status === 'number' ? row.status === status : status >= row.status[0] && status <= row.status[1];
  return inRange && (row.type === undefined || type.endsWith(row.type));
}
