// Words that begin the label of a total row in the languages exports come in. Callers may pass their own list instead.

export const defaultTotalWords: readonly string[] = [
  'total',
  'totals',
  'grand total',
  'subtotal',
  'sub-total',
  'sub total',
  'zwischensumme',
  'teilsumme',
  'sous-total',
  'subtotale',
  'subtotaal',
  'ergebnis',
  'gesamtergebnis',
  'closing balance',
  'ending balance',
  'endsaldo',
  'saldo final',
  'solde final',
  'total général',
  'total general',
  'totaux',
  'gesamt',
  'gesamtsumme',
  'summe',
  'insgesamt',
  'somme',
  'totale',
  'totali',
  'totales',
  'totais',
  'suma',
  'totaal',
  'totalt',
  'summa',
  'razem',
  'suma całkowita',
  'итого',
  'всего',
  'toplam',
  'genel toplam',
  'jumlah',
  'tổng',
  'รวม',
  '合計',
  '総計',
  '总计',
  '合计',
  '總計',
  '합계',
  '총계',
];

/** Recognises labels such as `Total`, `Total: Campaigns`, `Total of 12 results`, `Total - account`, but no name like `Total Recall`. */
export class TotalLabels {
  readonly #pattern: RegExp;
  readonly #groupPattern: RegExp;
  readonly #firstCodes = new Uint8Array(129);

  constructor(words: readonly string[]) {
    const alternatives = [...words]
      .sort((a, b) => b.length - a.length)
      .map(escapePattern)
      .join('|');
    const ending = '(?=\\s*(?:$|[:：(（–—-])|\\s+(?:of|de|des|der|di|van|\\d))';
    this.#pattern = words.length === 0 ? /$^/ : new RegExp(`^\\s*(?:${alternatives})${ending}`, 'iu');
    // `\\b` knows no letters but ours.
    this.#groupPattern =
      words.length === 0
        ? /$^/
        : new RegExp(`^\\s*(?:${alternatives})(?![\\p{L}\\p{N}])|(?<![\\p{L}\\p{N}])(?:${alternatives})\\s*$`, 'iu');
    for (const word of words) {
      for (const code of [word.toLowerCase().charCodeAt(0), word.toUpperCase().charCodeAt(0)]) {
        this.#firstCodes[Math.min(code, 128)] = 1;
      }
    }
    if (words.length > 0) this.#firstCodes[32] = 1;
  }

  /** Whether a text that starts with this character can be a label at all. */
  canStartWith(code: number): boolean {
    return this.#firstCodes[code] === 1;
  }

  matches(text: string): boolean {
    return this.#pattern.test(text);
  }

  /** Also `Total North` and `North Total`, as spreadsheets write below a group. Names may read like that: something else must say so, too. */
  namesGroup(text: string): boolean {
    return this.#groupPattern.test(text);
  }
}

function escapePattern(word: string): string {
  return word
    .trim()
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\s+/g, '\\s+');
}
