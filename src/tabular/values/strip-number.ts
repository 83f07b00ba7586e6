// Takes everything off a written number that is not its digits: sign, brackets, percent, currency. What remains is digits and
// separators, still to be checked against the style of the file.

export interface StrippedNumber {
  readonly digits: string;
  readonly isNegative: boolean;
  readonly isPercent: boolean;
  /** The currency as written: `$`, `€`, `USD`, `R$` … */
  readonly currency: string | null;
}

const SYMBOL =
  '(?:US|CA|AU|NZ|HK|NT|S|R|A|C)?\\$|[€£¥₹₩₽₺₫฿₱₪₴₦₡₲₸₮﷼]|zł|kr\\.?|Kč|Ft|лв\\.?|Rp\\.?|RM|Fr\\.?|[A-Z]{3}';
const leading = new RegExp(`^(?:${SYMBOL})(?=[\\s\\d.,+\\-−(])`, 'u');
const trailing = new RegExp(`(?<=[\\s\\d.,)])(?:${SYMBOL})$`, 'u');
const SIGNS = /^[-−+]/;

/** Small letters with which no currency begins, and so no number: most cells that are none are told by their first letter. */
const WORD = /^[a-jl-y]/;
const LETTER = /^[A-Za-z]/;
const DIGITS = /^\d+$/;
/** Footnotes, fractions and numbers in circles: made plain they would be one more digit of the number before them. */
const RAISED = /[¹²³\u2070-\u209f\u2460-\u24ff¼-¾\u2150-\u218b]/;

/** Null when the text cannot be a number. The text may have surrounding blanks of any kind. */
export function stripNumber(text: string): StrippedNumber | null {
  if (WORD.test(text)) return null;
  if (DIGITS.test(text)) return { digits: text, isNegative: false, isPercent: false, currency: null };
  if (RAISED.test(text)) return null;
  let rest = text.normalize('NFKC').trim();
  // What stands behind a letter that begins no currency is never looked at.
  if (LETTER.test(rest) && !leading.test(rest)) return null;
  let isNegative = false;
  let isPercent = false;
  let currency: string | null = null;
  let hasSign = false;
  const takeSign = () => {
    const sign = SIGNS.exec(rest);
    if (sign === null || hasSign) return;
    hasSign = true;
    isNegative = sign[0] !== '+';
    rest = rest.slice(1).trimStart();
  };
  const takeCurrency = () => {
    const match = leading.exec(rest) ?? trailing.exec(rest);
    if (match === null || currency !== null) return;
    currency = match[0];
    rest = (match.index === 0 ? rest.slice(match[0].length) : rest.slice(0, match.index)).trim();
  };
  if (rest.startsWith('(') && rest.endsWith(')')) {
    isNegative = true;
    hasSign = true;
    rest = rest.slice(1, -1).trim();
  }
  takeSign();
  takeCurrency();
  if (rest.startsWith('(') && rest.endsWith(')') && !hasSign) {
    isNegative = true;
    hasSign = true;
    rest = rest.slice(1, -1).trim();
  }
  takeSign();
  if (rest.endsWith('%') || rest.startsWith('%')) {
    isPercent = true;
    rest = rest.replace('%', '').trim();
  }
  if (/\d\s*[-−]$/.test(rest) && !hasSign) {
    isNegative = true;
    rest = rest.slice(0, -1).trimEnd();
  }
  takeCurrency();
  return /^[\d.,]/.test(rest) ? { digits: rest, isNegative, isPercent, currency } : null;
}
