// What a cell turned out to be: a value, no value (with the reason when the cell was not simply empty), or a fault with its code.

export type ValueFault =
  | 'value_required'
  | 'number_malformed'
  | 'number_not_whole'
  | 'number_negative'
  | 'number_too_large'
  | 'date_malformed'
  | 'date_ambiguous'
  | 'date_out_of_range'
  | 'id_rounded';

export type ParsedValue =
  | { readonly kind: 'value'; readonly value: string; readonly unit?: '%'; readonly currency?: string }
  | { readonly kind: 'none'; readonly warning: 'value_absent' | 'value_masked' | null }
  | { readonly kind: 'fault'; readonly code: ValueFault };

export const emptyCell: ParsedValue = { kind: 'none', warning: null };
export const absentValue: ParsedValue = { kind: 'none', warning: 'value_absent' };
export const maskedValue: ParsedValue = { kind: 'none', warning: 'value_masked' };

export function faultyValue(code: ValueFault): ParsedValue {
  return { kind: 'fault', code };
}
