// Column names made comparable: width, case and blanks do not matter, and a currency in brackets at the end is taken off and
// reported, so that "Amount spent (USD)" and "amount spent （EGP）" are one header with two currencies.

export interface HeaderName {
  /** For exact comparison; the currency is replaced by ¤. */
  readonly key: string;
  /** The key without punctuation and accents, for lenient comparison. */
  readonly looseKey: string;
  /** ISO code found in the name. */
  readonly currency: string | null;
}

const CURRENCY = /\(\s*([A-Za-z]{3})\s*\)$/;
/** Three letters in brackets that are no currency. */
const notCurrencies = new Set([
  'all',
  'new',
  'old',
  'est',
  'avg',
  'sum',
  'max',
  'min',
  'ads',
  'app',
  'web',
  'ios',
  'utc',
  'gmt',
  'url',
  'raw',
  'net',
]);

export function headerName(text: string): HeaderName {
  const plain = text
    .normalize('NFKC')
    .replace(/[\u200b-\u200d\ufeff]/g, '')
    .trim()
    .replace(/\s+/g, ' ');
  const found = CURRENCY.exec(plain);
  const code = found?.[1] ?? '';
  const isCurrency = code !== '' && !notCurrencies.has(code.toLowerCase()) && /^[A-Z]{3}$/.test(code);
  const key = (isCurrency ? plain.replace(CURRENCY, '(¤)') : plain).toLowerCase();
  return { key, looseKey: loosen(key), currency: isCurrency ? code : null };
}

function loosen(key: string): string {
  return key
    .replace('(¤)', '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
