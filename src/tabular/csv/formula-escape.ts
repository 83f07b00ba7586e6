// Cells that a spreadsheet would run as a formula get an apostrophe in front when we write them, and lose it when we read our own
// file again. The rule is its own inverse for every text: a cell that already looks escaped is escaped once more. Numbers are
// left alone, whatever their sign.

/** What programs take as the start of a formula or a command; the full-width forms are normalised by some of them. */
const DANGEROUS = '=+\\-@\\t\\r\\n\\0＝＋－＠';
const needsEscape = new RegExp(`^'*[${DANGEROUS}]`);
const isEscaped = new RegExp(`^''*[${DANGEROUS}]`);
const plainNumber = /^[+-]?(?:\d+|\d{1,3}(?:[, .]\d{3})+)(?:[.,]\d+)?(?:[eE][+-]?\d+)?%?$/;

const EQUALS = 61;
const QUOTE = 34;

export function escapeFormula(text: string): string {
  return needsEscape.test(text) && !plainNumber.test(text) ? `'${text}` : text;
}

export function unescapeFormula(text: string): string {
  return isEscaped.test(text) ? text.slice(1) : text;
}

/** Exports that want to survive a spreadsheet write ="00123": a formula whose value is that text. */
export function withoutFormula(text: string): string {
  if (text.charCodeAt(0) !== EQUALS || text.charCodeAt(1) !== QUOTE) return text;
  const inside = /^="((?:[^"]|"")*)"$/.exec(text.trimEnd());
  return inside === null ? text : (inside[1] ?? '').replaceAll('""', '"');
}
