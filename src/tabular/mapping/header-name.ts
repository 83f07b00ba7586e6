// Column names made comparable: width, case and blanks do not matter, and a currency in brackets at the end is taken off and
// reported, so that "Amount spent (USD)" and "amount spent （EGP）" are one header with two currencies.

export interface HeaderName {
  /** For exact comparison; the currency is replaced by ¤. */
  readonly key: string;
  /** The key without punctuation and accents, for lenient comparison. */
  readonly looseKey: string;
  /** The loose key without currency, units and the endings of plurals, in one piece: "Cost in EUR" and "costs (€)" are one. */
  readonly rootKey: string;
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
  const looseKey = loosen(key);
  return { key, looseKey, rootKey: rootOf(plain, looseKey), currency: isCurrency ? code : currencyIn(plain) };
}

/** A code that stands by itself at the end: "Cost EUR", "Spend, USD", "Cost in GBP". */
const TRAILING_CODE = /(?:^|[\s,/[])(?:in )?([A-Z]{3})\]?$/;
const knownCodes = new Set(
  'AED ARS AUD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR JPY KRW MXN MYR NOK NZD PEN PHP PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR'.split(
    ' ',
  ),
);
const units = new Set(['in', 'usd', 'eur', 'number', 'no', 'count', 'total', 'of']);

function currencyIn(plain: string): string | null {
  const code = TRAILING_CODE.exec(plain)?.[1];
  return code !== undefined && knownCodes.has(code) ? code : null;
}

function rootOf(plain: string, looseKey: string): string {
  const code = currencyIn(plain)?.toLowerCase();
  return looseKey
    .split(' ')
    .filter((word) => word !== code && !units.has(word))
    .map((word) => (word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word))
    .join('');
}

function loosen(key: string): string {
  return key
    .replace('(¤)', '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
