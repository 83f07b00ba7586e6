// Cells that a spreadsheet would run as a formula get an apostrophe in front when we write them, and lose it when we read our own
// file again. The rule is its own inverse for every text: a cell that already looks escaped is escaped once more. Numbers are
// left alone, whatever their sign.

/** What programs take as the start of a formula or a command; the full-width forms are normalised by some of them. */
const DANGEROUS = '=+\\-@\\t\\r\\n\\0＝＋－＠';
const needsEscape = new RegExp(`^'*[${DANGEROUS}]`);
const isEscaped = new RegExp(`^''*[${DANGEROUS}]`);
const plainNumber = /^[+-]?(?:\d+|\d{1,3}(?:[, .]\d{3})+)(?:[.,]\d+)?(?:[eE][+-]?\d+)?%?$/;

export function escapeFormula(text: string): string {
  return needsEscape.test(text) && !plainNumber.test(text) ? `'${text}` : text;
}

export function unescapeFormula(text: string): string {
  return isEscaped.test(text) ? text.slice(1) : text;
}
