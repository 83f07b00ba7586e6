// What can be wrong with a row as a whole. A faulted row keeps its place, line and raw text; its cells are not to be trusted.
import type { ErrorCode } from '../contract/errors/catalogue.ts';

/** The order is the number a scanner writes into its fault array; 0 is "nothing wrong". */
const faults = [
  null,
  'row_encoding_invalid',
  'row_nul_byte',
  'row_quote_unclosed',
  'row_quote_misplaced',
  'row_too_short',
  'row_too_long',
  'row_not_an_object',
  'row_json_malformed',
  'row_unknown_key',
  'row_key_repeated',
] as const satisfies readonly (ErrorCode | null)[];

export type RowFault = NonNullable<(typeof faults)[number]>;

export function faultNumber(fault: RowFault): number {
  return faults.indexOf(fault);
}

export function faultOf(number: number): RowFault | null {
  return faults[number] ?? null;
}
