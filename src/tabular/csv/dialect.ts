// How a delimited text is written: what ends a cell, which quotes it, how a quote inside quotes is written, what ends a row.

export interface Dialect {
  /** Mostly one sign; up to MAX_DELIMITER of them, of any alphabet: `||`, `::`, `|~|`. */
  readonly delimiter: string;
  /** One ASCII character, or null when quotes are ordinary text. */
  readonly quote: string | null;
  /** How a quote is written inside a quoted cell: `""` or `\"`. */
  readonly escape: 'double' | 'backslash';
  /** What ends a row. `any` takes CR, LF and CRLF alike; with `lf` and `crlf` a lone CR is part of a cell. */
  readonly lineEnd: 'lf' | 'crlf' | 'cr' | 'any';
  /** Whether blanks between a delimiter and an opening quote are skipped (`a, "b"`). */
  readonly skipSpace: boolean;
  /** Blanks after a delimiter belong to it (`a, b, c`), whatever follows. */
  readonly dropsBlanks?: boolean;
  /** Several delimiters in a row count as one, as do those at the ends of a line: columns set with blanks. */
  readonly repeats?: boolean;
  /** A quote inside quotes that neither delimiter nor line end follows is text (`'it's','x'`). Then no quoted cell spans lines. */
  readonly looseQuotes?: boolean;
}

export const MAX_DELIMITER = 8;

export const commaDialect: Dialect = {
  delimiter: ',',
  quote: '"',
  escape: 'double',
  lineEnd: 'lf',
  skipSpace: false,
};

/** Whether a CR by itself ends a row. */
export function endsAtReturn(lineEnd: Dialect['lineEnd']): boolean {
  return lineEnd === 'cr' || lineEnd === 'any';
}
