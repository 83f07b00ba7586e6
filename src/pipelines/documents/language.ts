// The language of a text by its commonest words, and the text search configuration of Postgres that stems it. Where no language stands out,
// words are kept as they are. Ideographs are cut into overlapping pairs, because nothing separates their words.

const commonWords: Readonly<Record<string, string>> = {
  english: 'the of and to in is that for it with as was on are be this by not or from',
  german: 'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als',
  french: 'de la le et les des en un du une que est pour qui dans par plus au sur pas',
  spanish: 'de la que el en y los se del las un por con no una su para es al lo',
  italian: 'di e il la che in un a per è una sono della con non del si le dei alla',
  portuguese: 'de a o que e do da em um para com não uma os no se na por mais as',
  dutch: 'de en van ik te dat die in een hij het niet zijn is was op aan met als voor',
  swedish: 'och att det i en som är av för på den med inte till om har ett var jag sig',
  danish: 'og i at det er en til på som af for med den der ikke de var et har han',
  norwegian: 'og i det er på en som til av for med at den har de ikke om et fra var',
  finnish: 'ja on ei että se hän oli ovat mutta joka kun niin myös kuin sen ole tai olla mitä voi',
  russian: 'и в не на что с как это по но из у за от к для то же все так',
};

const lists = Object.entries(commonWords).map(([language, words]) => [language, new Set(words.split(' '))] as const);
/** In which the letters of the text must be written, most of them: an Arabic manual quotes English commands and is no English text. */
const scripts: Readonly<Record<string, RegExp>> = { russian: /\p{Script=Cyrillic}/gu };
const latin = /\p{Script=Latin}/gu;
const MIN_SCRIPT_SHARE = 0.5;
const SAMPLE_CHARS = 20_000;
const MIN_WORDS = 20;
const MIN_SHARE = 0.08;
const ideographs = /[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF]+/g;

export interface Language {
  readonly language: string | null;
  /** Of to_tsvector. */
  readonly config: string;
}

export function languageOf(text: string): Language {
  const sample = text.slice(0, SAMPLE_CHARS).toLowerCase();
  const words = sample.match(/\p{L}+/gu) ?? [];
  if (words.length < MIN_WORDS) return { language: null, config: 'simple' };
  const scores = lists.map(
    ([language, common]) => [language, words.filter((word) => common.has(word)).length] as const,
  );
  const [best, second] = scores.toSorted((a, b) => b[1] - a[1]);
  const stands =
    best !== undefined &&
    best[1] / words.length >= MIN_SHARE &&
    best[1] > (second?.[1] ?? 0) &&
    isWrittenIn(sample, scripts[best[0]] ?? latin);
  return stands ? { language: best[0], config: best[0] } : { language: null, config: 'simple' };
}

function isWrittenIn(sample: string, script: RegExp): boolean {
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  return (sample.match(script)?.length ?? 0) >= letters * MIN_SCRIPT_SHARE;
}

/** As it is given to to_tsvector: runs of ideographs as pairs. Questions must be prepared in the same way. */
export function searchableText(text: string): string {
  return text.replace(ideographs, (run) => {
    const characters = [...run];
    if (characters.length === 1) return ` ${run} `;
    return ` ${characters
      .slice(0, -1)
      .map((character, at) => character + (characters[at + 1] ?? ''))
      .join(' ')} `;
  });
}
