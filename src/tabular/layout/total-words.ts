// Words that begin the label of a total row in the languages exports come in. Callers may pass their own list instead.

export const defaultTotalWords: readonly string[] = [
  'total',
  'totals',
  'grand total',
  'subtotal',
  'subtotals',
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
  '小計',
  '小计',
  '소계',
  '合計',
  '総計',
  '总计',
  '合计',
  '總計',
  '합계',
  '총계',
];

/** What the first word of a segment says that stands for all of its parts ("All devices", "Alle Geräte"), in the languages exports come in. */
const allWords = [
  ...['all', 'any', 'overall', 'alle', 'tous', 'toutes', 'todos', 'todas', 'tutti', 'tutte', 'alla', 'wszystkie'],
  ...['tüm', 'все', 'всі', 'semua', 'tất cả', 'ทั้งหมด', 'gesamt', 'insgesamt', 'ensemble'],
];
/** Written without blanks. */
const allSigns = ['すべて', '全て', '全', '所有', '전체', '모든'];
/** What a text begins with that `saysAll` says yes to. */
export const firstWordsOfAll: readonly string[] = [...allWords, ...allSigns];
const MOST_WORDS = 4;
const MAX_LABEL = 80;
/** Scripts that part no words by blanks begin here. */
const FIRST_UNPARTED = 0x0e00;
const allPattern = new RegExp(`^(?:(?:${allWords.join('|')})(?![\\p{L}\\p{N}])|${allSigns.join('|')})`, 'iu');

/** "All devices", "Tous les appareils", "すべてのデバイス": few words, the first of which says "all". A name may begin so as well. */
export function saysAll(text: string): boolean {
  const trimmed = text.trim();
  return allPattern.test(trimmed) && trimmed.split(/\s+/).length <= MOST_WORDS;
}

/** Hardly a part of any name, where "Total" is one. */
const unmistakable =
  /^(?:sub[- ]?totals?|zwischensumme|teilsumme|sous-total|subtotale|subtotaal|小計|小计|소계)(?![\p{L}\p{N}])/iu;

/** Recognises labels such as `Total`, `Total: Campaigns`, `Total of 12 results`, `Total - account`, but no name like `Total Recall`. */
export class TotalLabels {
  readonly #pattern: RegExp;
  readonly #groupPattern: RegExp;
  readonly #endPattern: RegExp;
  /** The first and the last words of all labels. */
  readonly #ends: ReadonlySet<string>;
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
    this.#endPattern = words.length === 0 ? /$^/ : new RegExp(`[\\p{L}\\p{N}]\\s+(?:${alternatives})\\s*$`, 'iu');
    this.#ends = new Set(words.flatMap((word) => [word.split(' ')[0] ?? '', word.split(' ').at(-1) ?? '']));
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

  /** Whether a label without numbers that prove it says that its row adds up others: `Subtotal North`, `North total`, `Total: 5`. */
  saysTotal(text: string): boolean {
    if (text.length > MAX_LABEL || !this.#mayBeLabel(text)) return false;
    return this.matches(text) || unmistakable.test(text.trim()) || this.#endPattern.test(text);
  }

  /** Most texts are names: a look at their first and last word costs a tenth of the patterns. */
  #mayBeLabel(text: string): boolean {
    const trimmed = text.trim();
    if (trimmed.charCodeAt(0) >= FIRST_UNPARTED || trimmed.charCodeAt(trimmed.length - 1) >= FIRST_UNPARTED)
      return true;
    const first = /^[^\s:(–]*/u.exec(trimmed)?.[0].toLowerCase() ?? '';
    return this.#ends.has(first) || this.#ends.has(trimmed.slice(trimmed.lastIndexOf(' ') + 1).toLowerCase());
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
