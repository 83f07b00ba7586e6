// The advertising platforms, and by what their exports are recognised.
import type { FileKind } from '../kit.ts';

export const platforms = ['meta', 'google', 'tiktok'] as const;
export type Platform = (typeof platforms)[number];

export const platformNames: Readonly<Record<Platform, string>> = { meta: 'Meta', google: 'Google', tiktok: 'TikTok' };

const evidence: Readonly<Record<Platform, Pick<FileKind, 'marks' | 'filename'>>> = {
  meta: {
    marks: [
      [/amount spent/i, 3, 'Amount spent'],
      [/reporting (starts|ends)/i, 3, 'Reporting starts'],
      [/\bad set (name|id)\b/i, 2, 'Ad set'],
      [/attribution setting|result indicator/i, 2, 'Attribution setting'],
      [/link clicks/i, 1, 'Link clicks'],
    ],
    filename: /meta|facebook|instagram|\bfb\b/i,
  },
  google: {
    marks: [
      [/\bimpr\./i, 3, 'Impr.'],
      [/(campaign|search terms?|keyword|ad) report/i, 2, 'a report title'],
      [/cost_micros|avg\. cost|cost \/ conv/i, 3, 'Avg. cost'],
      [/currency code|match type|ad group status/i, 1, 'Currency code'],
    ],
    filename: /google|adwords|gads/i,
  },
  tiktok: {
    marks: [
      [/by day/i, 3, 'By Day'],
      [/\((destination)\)/i, 3, 'Clicks (destination)'],
      [/(2|6)-second video views/i, 3, '2-second video views'],
      [/primary status/i, 2, 'Primary status'],
    ],
    filename: /tik-?_?tok/i,
  },
};

/** An export is as old as its file: older numbers never overwrite newer ones. */
export const adsKinds: readonly FileKind[] = platforms.map((platform) => ({
  name: platform,
  title: platformNames[platform],
  ...evidence[platform],
  fields: ({ lastModified }) => ({
    platform,
    source: 'manual',
    ...(lastModified > 0 ? { reported_at: new Date(lastModified).toISOString() } : {}),
  }),
}));
