// Which currency a sign in a cell means. A dollar is many currencies: the header says which, where it names one of them. A sign that
// only one currency has decides it; a sign that nothing explains stays as it is written.

const dollars =
  'USD CAD AUD NZD HKD TWD SGD MXN ARS CLP COP UYU BBD BMD BSD BND BZD FJD GYD JMD KYD LRD NAD SBD SRD TTD XCD'.split(
    ' ',
  );

const meanings: ReadonlyMap<string, readonly string[]> = new Map([
  ['$', dollars],
  ['US$', ['USD']],
  ['CA$', ['CAD']],
  ['C$', ['CAD', 'NIO']],
  ['AU$', ['AUD']],
  ['A$', ['AUD']],
  ['NZ$', ['NZD']],
  ['HK$', ['HKD']],
  ['NT$', ['TWD']],
  ['S$', ['SGD']],
  ['R$', ['BRL']],
  ['€', ['EUR']],
  ['£', ['GBP', 'EGP', 'FKP', 'GIP', 'LBP', 'SHP', 'SYP']],
  ['¥', ['JPY', 'CNY']],
  ['₹', ['INR']],
  ['₩', ['KRW', 'KPW']],
  ['₽', ['RUB']],
  ['₺', ['TRY']],
  ['₫', ['VND']],
  ['฿', ['THB']],
  ['₱', ['PHP', 'CUP']],
  ['₪', ['ILS']],
  ['₴', ['UAH']],
  ['₦', ['NGN']],
  ['₡', ['CRC', 'SVC']],
  ['₲', ['PYG']],
  ['₸', ['KZT']],
  ['₮', ['MNT']],
  ['zł', ['PLN']],
  ['kr', ['SEK', 'NOK', 'DKK', 'ISK']],
  ['Kč', ['CZK']],
  ['Ft', ['HUF']],
  ['лв', ['BGN']],
  ['Rp', ['IDR']],
  ['RM', ['MYR']],
  ['Fr', ['CHF', 'XAF', 'XOF', 'XPF']],
]);

/** `sign`: as written in the cell; `header`: the currency that the column's name gives. */
export function currencyOf(sign: string | null, header: string | null): string | null {
  if (sign === null) return header;
  const possible = meanings.get(sign.replace(/\.$/, ''));
  if (possible === undefined) return sign;
  if (header !== null && possible.includes(header)) return header;
  return possible.length === 1 ? (possible[0] ?? sign) : sign;
}
