// Arabic words whose letters stand in reverse order. A PDF may name a whole word (ActualText) or draw its letters one by one; the library gives the first in
// the order of reading and the second as it stands on the page, word by word on one line, and does not say which is which. What a word is, is judged by
// the word itself: letters that only end words, common short words, and which letter usually follows which. The table was counted over the Arabic words of
// the Debian Administrator's Handbook: of the words there it knows 90 % right, 3 % wrong, and is in doubt about the rest.

/** Each stands for itself and is no other word when it is reversed. */
const common = new Set(
  (
    'من في على أن التي أو هذا إلى يمكن مع عن إذا يجب هو ما أي مدير الذي هي نظام لكن أيضا عند مخدم كما ' +
    'غير فقط جميع بعد حتى قسم بشكل بعض قد أكثر عبر كان بين أعلى مثل دفتر حزمة يسمح إلا أخرى سوف ذلك عدة هناك مثال ' +
    'حزم لم اسم بما مثلا كانت قبل عادة ضبط فصل نفسه لذلك تسمح جدا آخر حيث لها أما أحد تعمل أنه واحد منها يحوي يعمل ' +
    'تكون أنها لأن خدمة تحوي يكون حالة خلال معظم حسب خاصة عدد فيها قرص وهي نظم بها شكل نسخة انظر جهاز ثم عليك تعرف حال ' +
    'كلمة إن الوب آليا ذات صيغة بحيث شركة لهذا وهذا شيء لاحظ يتم مجلد بناء ضمن أداة عليه بدلا يشير عمل يعني لقد لو تلك ' +
    'صفحة أولا ولا خاص رقم سطر توفر عدم الآن فإن حل أفضل لن إذن ليس إحدى جزء موقع الخ باسم تخزن ليست جديد نسخ كنت'
  ).split(' '),
);

const letters = 'ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي';
/**
 * A row per letter. First how much more often it begins words than it ends them, then how much more often it stands before each of the letters after it
 * than behind them: thrice the natural logarithm, from a (-13) over n (0) to A (13).
 */
const odds = (
  'annnnngnwsnnnngnjfnnnnlnnnnnnppnrile xnnnnnmtqrmnwnnhnqnnnnnnnpnnmstnnnn unnnnmrkwxyAqqrqwnxunqzupzrfwywqns lnnnlnlspntsplnknnnnnnnntpuhnrvnl ' +
  'AnnkntqywtxxwwuwxytrAskxrjvzpdnw dfgxpnqvnmtghgfssnntnmwpwvswpnq qlxsknnominlojmlmhmjmllsnnhhni qAmhktkrqqkllnknnqkrpqjooAlnq ' +
  'aeecaeaiaccgchbeadaabaaacfna nxspprrrujrwvxuqwoqmimnwpvn lnendnsnnnnnnnitpwcohvtlnm njlymnzhfnknnqqknjlmmsmpp ' +
  'nnAxnAtiqkpynnlytjkjwnnn rsxsyheAoznnnxnjmelrrnp inojpjalnnkpwjmlrjpovn kvnnnnnnnpgjnsmilmkno ' +
  'hrojmqfcjmnlncksonxn innnnnnnnjnhmqnjknp rnpnwnxlhglmmmynno tnnunoytktffbuopo ' +
  'mnvnrvohnpjltmrq kunnrggnnofvkrp lnkevllncdvrto lfnjnpiwbxipp ' +
  'mnflsnnryjvm ppnplqtpnps nsmhfgAkqp ljmjlvlvn ' +
  'nlmqpoqn nrzsmAp oumouo ktmuk ' +
  'joqm uxr an o'
).split(' ');

const onlyAtTheEnd = /^[ةى]/u;
const arabicWord = /[\u0621-\u064A][\u0621-\u0652\u0670]*/gu;
const marks = /[\u0640\u064B-\u0652\u0670]/gu;
/** So many words of a line of evidence, and so large a share of all of them: below that a page is taken as it is. */
const MIN_TURNED = 3;
const MIN_SHARE = 0.1;
/** Closer to even than this, nobody knows. */
const SURE = 3;

export interface Judged {
  /** Turns the letters of words where they stand in reverse order. Undefined: the page is as it is read. */
  readonly turn: ((text: string) => string) | undefined;
  /** The share of the words of which it cannot be told; 0 where nothing is reversed. */
  readonly doubt: number;
}

const asItIs: Judged = { turn: undefined, doubt: 0 };

/** Looks at all words of a page: only where some are reversed beyond doubt, the others are judged one by one. */
export function judgeLetters(text: string): Judged {
  const words = (text.match(arabicWord) ?? []).map(bare).filter(({ length }) => length > 1);
  const turned = words.filter(isSurelyReversed).length;
  if (turned < MIN_TURNED || turned < words.length * MIN_SHARE) return asItIs;
  const doubtful = words.filter((word) => Math.abs(scoreOf(word)) <= SURE).length;
  return {
    turn: (given) => given.replace(arabicWord, (word) => (scoreOf(bare(word)) < 0 ? reversed(word) : word)),
    doubt: doubtful / words.length,
  };
}

function bare(word: string): string {
  return word.replace(marks, '');
}

function isSurelyReversed(word: string): boolean {
  return onlyAtTheEnd.test(word) || (word.length > 4 && word.endsWith('لا') && !word.startsWith('ال'));
}

/** Below 0: it stands in reverse order. */
function scoreOf(word: string): number {
  if (common.has(word)) return 2 * SURE;
  if (common.has(reversed(word)) || onlyAtTheEnd.test(word)) return -2 * SURE;
  let score = oddsOf(word[0] ?? '', '') - oddsOf(word.at(-1) ?? '', '');
  for (let at = 1; at < word.length; at += 1) score += oddsOf(word[at - 1] ?? '', word[at] ?? '');
  return score;
}

/** Of one letter before the other; of a letter at the beginning where there is no other. */
function oddsOf(one: string, other: string): number {
  const [a, b] = [letters.indexOf(one), letters.indexOf(other)];
  if (a < 0 || one === '' || (other !== '' && (b < 0 || a === b))) return 0;
  if (other === '') return signValue(odds[a]?.[0]);
  return a < b ? signValue(odds[a]?.[b - a]) : -signValue(odds[b]?.[a - b]);
}

function signValue(sign = 'n'): number {
  return sign === 'A' ? 13 : sign.charCodeAt(0) - 'n'.charCodeAt(0);
}

/** With its marks behind the letters they belong to. */
function reversed(word: string): string {
  return (word.match(/[\u0621-\u064A][\u0640\u064B-\u0652\u0670]*/gu) ?? [word]).reverse().join('');
}
