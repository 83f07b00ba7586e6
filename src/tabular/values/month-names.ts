// Month names of the languages in which exports arrive, found by any unambiguous beginning of three letters or more.

const names: readonly (readonly string[])[] = [
  // English, French, German, Spanish, Italian, Portuguese, Dutch, Indonesian, Swedish, Polish, Turkish
  ['january', 'janvier', 'januar', 'jänner', 'enero', 'gennaio', 'janeiro', 'januari', 'styczeń', 'stycznia', 'ocak'],
  ['february', 'février', 'februar', 'febrero', 'febbraio', 'fevereiro', 'februari', 'luty', 'lutego', 'şubat'],
  ['march', 'mars', 'märz', 'mrz', 'marzo', 'março', 'maart', 'maret', 'marzec', 'marca', 'mart'],
  ['april', 'avril', 'abril', 'aprile', 'kwiecień', 'kwietnia', 'nisan'],
  ['may', 'mai', 'mayo', 'maggio', 'maio', 'mei', 'maj', 'maja', 'mayıs'],
  ['june', 'juin', 'juni', 'junio', 'giugno', 'junho', 'czerwiec', 'czerwca', 'haziran'],
  ['july', 'juillet', 'juil', 'juli', 'julio', 'luglio', 'julho', 'lipiec', 'lipca', 'temmuz'],
  ['august', 'août', 'agosto', 'augustus', 'agustus', 'augusti', 'sierpień', 'sierpnia', 'ağustos'],
  ['september', 'septembre', 'septiembre', 'setiembre', 'settembre', 'setembro', 'wrzesień', 'września', 'eylül'],
  ['october', 'octobre', 'oktober', 'octubre', 'ottobre', 'outubro', 'październik', 'października', 'ekim'],
  ['november', 'novembre', 'noviembre', 'novembro', 'nopember', 'listopad', 'listopada', 'kasım'],
  [
    'december',
    'décembre',
    'dezember',
    'diciembre',
    'dicembre',
    'dezembro',
    'desember',
    'grudzień',
    'grudnia',
    'aralık',
  ],
];

const MIN_LETTERS = 3;
/** Beginning → month from 1 to 12; 0 where two months share it ("jui"). */
const byBeginning = new Map<string, number>();
names.forEach((month, index) => {
  for (const name of month) {
    const letters = plainLetters(name);
    for (let length = MIN_LETTERS; length <= letters.length; length++) {
      const beginning = letters.slice(0, length);
      const known = byBeginning.get(beginning);
      byBeginning.set(beginning, known === undefined || known === index + 1 ? index + 1 : 0);
    }
  }
});

/** The month's number from 1, or null. */
export function monthOf(name: string): number | null {
  return byBeginning.get(plainLetters(name)) || null;
}

function plainLetters(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f.]/g, '')
    .replaceAll('ı', 'i');
}
