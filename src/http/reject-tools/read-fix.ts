// A fix as a caller names it, checked. The tabular layer decides which fixes there are.
import { z } from 'zod';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { applyFix, type Fix } from '../../tabular/validation/fixes.ts';
import { commaStyle, pointStyle } from '../../tabular/values/number-style.ts';

const known = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('date_order'), order: z.enum(['dmy', 'mdy']) }),
  z.strictObject({ kind: z.literal('date_serial') }),
  z.strictObject({ kind: z.literal('number_style'), decimal: z.enum(['.', ',']) }),
  z.strictObject({ kind: z.literal('keep_digits') }),
  z.strictObject({ kind: z.literal('drop_decimals') }),
  z.strictObject({ kind: z.literal('trim') }),
  z.strictObject({ kind: z.literal('replace'), from: z.string().max(1000), to: z.string().max(1000) }),
]);

export type FixOfCell = (value: string | null) => string | null;

/** `decimal`: the sign of the file whose cells are fixed. */
export function readFix(
  given: { kind: string; column: string; params: Record<string, unknown> },
  decimal: '.' | ',' = '.',
): FixOfCell {
  const parsed = known.safeParse({ ...given.params, kind: given.kind });
  if (!parsed.success) throw new MillraceError('fix_unknown', { fix: given.kind, column: given.column });
  const fix: Fix = parsed.data;
  const style = decimal === ',' ? commaStyle : pointStyle;
  return (value) => (value === null ? null : applyFix(fix, value, style));
}

/** The suggestion a pipeline stored with a reject, as the API shows it. */
export function viewSuggestion(suggestion: unknown, column: string | null) {
  const { fix, label } = (suggestion ?? {}) as { fix?: { kind?: unknown }; label?: unknown };
  if (typeof fix?.kind !== 'string' || typeof label !== 'string') return null;
  const { kind, ...params } = fix;
  // Reading the file again fixes no single column.
  if (column === null && kind !== 'reread') return null;
  return { kind: String(kind), label, column: column ?? '', params };
}
