// How rows and catalogues are compared: SKUs without case and punctuation, GTINs padded to 14 digits with a right check digit, names by the
// trigrams of their words.

/** "AB-12 34" and "ab1234" are one. */
export function skuKey(text: string): string | null {
  const key = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
  return key === '' ? null : key.slice(0, 200);
}

/** 14 digits; undefined when it is no number of 8, 12, 13 or 14 digits, null when its check digit is wrong. */
export function gtinKey(text: string): string | null | undefined {
  const digits = text.normalize('NFKC').replace(/[\s-]/g, '');
  if (!/^(?:\d{8}|\d{12,14})$/.test(digits)) return undefined;
  const padded = digits.padStart(14, '0');
  return hasRightCheckDigit(padded) ? padded : null;
}

function hasRightCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < 13; at += 1) sum += Number(digits[at]) * (at % 2 === 0 ? 3 : 1);
  return (10 - (sum % 10)) % 10 === Number(digits[13]);
}

export function nameKey(brand: string | undefined, title: string | undefined): string {
  const text = `${brand ?? ''} ${title ?? ''}`
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  // A brand that the title repeats counts once.
  return [...new Set(words)].join(' ').slice(0, 400);
}

/** As pg_trgm has them: two blanks before a word, one behind it. */
export function gramsOf(key: string): Set<string> {
  const grams = new Set<string>();
  for (const word of key.split(' ')) {
    if (word === '') continue;
    const padded = `  ${word} `;
    for (let at = 0; at + 3 <= padded.length; at += 1) grams.add(padded.slice(at, at + 3));
  }
  return grams;
}

/** Shared trigrams to all trigrams of both. */
export function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const gram of a) if (b.has(gram)) shared += 1;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}
