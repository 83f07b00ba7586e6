// Words that make a question without saying what it is about: stop words of the language it is asked in, whatever language the documents have,
// and what goes with them ("how long", "tell me"). They are not looked for, not missed, and not named when there is no answer.

/** Languages whose stop words Postgres knows. */
export const questionLanguages = [
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'italian',
  'norwegian',
  'portuguese',
  'russian',
  'spanish',
  'swedish',
] as const;

/** Two of them tell a language; one may be a word of another ("die casting"). */
const TELLING = 2;

/**
 * For each word whether it is a stop word of the language that most of the stop words belong to. `stops` says for each word the languages
 * that have no lexeme for it.
 */
export function stopWordsOf(stops: readonly ReadonlySet<string>[]): boolean[] {
  const counts = new Map<string, number>();
  for (const languages of stops)
    for (const language of languages) counts.set(language, (counts.get(language) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  if (most < TELLING) return stops.map(() => false);
  const likely = [...counts].filter(([, count]) => count === most).map(([language]) => language);
  return stops.map((languages) => likely.some((language) => languages.has(language)));
}

const measures: readonly (readonly [first: RegExp, then: RegExp])[] = [
  [/^how$/i, /^(?:long|many|much|often|far|old|soon|big|large|high|deep|tall|wide|fast|quickly|come)$/i],
  [/^wie$/i, /^(?:lange?|viele?[mnrs]?|oft|weit|alt|bald|groß|hoch|tief|schnell|teuer)$/i],
];
/** As pairs, which is how ideographs are looked for. */
const asking =
  /^(?:多久|多少|多长|多長|什么|什麼|如何|怎么|怎麼|怎样|怎樣|哪里|哪裡|哪些|何时|何時|是否|请问|請問|为什|為什|何で|なぜ|です|ます|すか|どう|どこ|いつ|だれ|얼마|언제|어디|무엇)$/;
const polite = /^(?:please|kindly|bitte)$/i;
/** At the beginning only: further in they are what somebody asks about. */
const openers =
  /^(?:please|kindly|bitte|tell|give|show|explain|describe|list|find|name|say|nenne?|zeige?|erkläre?|beschreibe?)$/i;

/** Words that belong to the way of asking. */
export function askingWordsOf(words: readonly string[]): boolean[] {
  const bare = words.map((word) => word.replace(/[^\p{L}\p{N}'’-]/gu, ''));
  const opening = bare.findIndex((word) => !openers.test(word));
  return bare.map((word, at) => {
    if (polite.test(word) || asking.test(word) || at < (opening < 0 ? bare.length : opening)) return true;
    const isMeasure = (one = '', next = '') => measures.some(([first, then]) => first.test(one) && then.test(next));
    return isMeasure(bare[at - 1], word) || isMeasure(word, bare[at + 1]);
  });
}
