// Guesses what a file is: which platform's export, or court judgments. By column names only it uses, else by the file's name.
// A guess that is not obvious is no guess: the person is asked.
export const platforms = ['meta', 'google', 'tiktok'] as const;
export type Platform = (typeof platforms)[number];

export const platformNames: Readonly<Record<Platform, string>> = { meta: 'Meta', google: 'Google', tiktok: 'TikTok' };

/** What a file can be handed in as: an ads export of a platform, or a batch of judgments. */
export const kinds = [...platforms, 'judgments'] as const;
export type Kind = (typeof kinds)[number];
export const kindNames: Readonly<Record<Kind, string>> = { ...platformNames, judgments: 'Judgments' };

export interface Guess {
  readonly kind: Kind;
  readonly reason: string;
}

const marks: Readonly<Record<Kind, readonly (readonly [RegExp, number, string])[]>> = {
  meta: [
    [/amount spent/i, 3, 'Amount spent'],
    [/reporting (starts|ends)/i, 3, 'Reporting starts'],
    [/\bad set (name|id)\b/i, 2, 'Ad set'],
    [/attribution setting|result indicator/i, 2, 'Attribution setting'],
    [/link clicks/i, 1, 'Link clicks'],
  ],
  google: [
    [/\bimpr\./i, 3, 'Impr.'],
    [/(campaign|search terms?|keyword|ad) report/i, 2, 'a report title'],
    [/cost_micros|avg\. cost|cost \/ conv/i, 3, 'Avg. cost'],
    [/currency code|match type|ad group status/i, 1, 'Currency code'],
  ],
  tiktok: [
    [/by day/i, 3, 'By Day'],
    [/\((destination)\)/i, 3, 'Clicks (destination)'],
    [/(2|6)-second video views/i, 3, '2-second video views'],
    [/primary status/i, 2, 'Primary status'],
  ],
  judgments: [
    [/case[ _]?(number|no\.?)/i, 3, 'Case number'],
    [/plaintiff/i, 2, 'Plaintiff'],
    [/defendant/i, 2, 'Defendant'],
    [/judge?ment[ _](amount|date)/i, 2, 'Judgment amount'],
  ],
};

const names: readonly (readonly [RegExp, Kind])[] = [
  [/meta|facebook|instagram|\bfb\b/i, 'meta'],
  [/google|adwords|gads/i, 'google'],
  [/tik-?_?tok/i, 'tiktok'],
  [/judge?ments?/i, 'judgments'],
];

export function guessKind(head: string, filename: string): Guess | undefined {
  const scores = kinds
    .map((kind) => {
      const hits = marks[kind].filter(([mark]) => mark.test(head));
      return { kind, score: hits.reduce((sum, [, weight]) => sum + weight, 0), word: hits[0]?.[2] ?? '' };
    })
    .sort((a, b) => b.score - a.score);
  const [best, second] = scores;
  if (best && second && best.score >= 3 && best.score >= second.score * 2)
    return { kind: best.kind, reason: `the file has ${best.word}` };
  const named = names.filter(([name]) => name.test(filename));
  const only = named.length === 1 ? named[0] : undefined;
  return only && (best?.score ?? 0) === 0 ? { kind: only[1], reason: 'the file’s name says so' } : undefined;
}

/** The first lines of a file as text; UTF-16 is recognised by its mark. Zip containers (XLSX) give nothing. */
export function decodeHead(head: Uint8Array): string {
  if (head[0] === 0x50 && head[1] === 0x4b) return '';
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le').decode(head);
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be').decode(head);
  return new TextDecoder('utf-8').decode(head);
}
